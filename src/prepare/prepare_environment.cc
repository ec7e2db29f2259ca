#include "prepare/prepare_environment.h"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "domain/docker_arguments.h"
#include "domain/names.h"
#include "records/run_records.h"

namespace roost {
namespace {

Json defined_variables(const Json& definition) {
  Json variables = Json::object();
  const Json given = object_at(definition, "environmentVariables");
  if (!given.is_object()) return variables;
  for (const auto& item : given.items()) {
    if (check_variable_name(item.key()) && item.value().is_string()) variables[item.key()] = item.value();
  }
  return variables;
}

// Submit goes before the definition, and that before the server.
Result<Pins> pins_of(const Json& environment, Pins of_server) {
  if (const std::string asked = text_at(environment, "pins"); !asked.empty()) return parse_pins(asked);
  const Json definition = object_at(environment, "definition");
  const auto it = definition.find("pins");
  if (it != definition.end() && it->is_string()) return parse_pins(it->get<std::string>());
  return of_server;
}

Status queue(Tx& tx, Run& run, Micros now, std::string_view remark = "") {
  return move_run(tx, run, RunStatus::kQueued, fmt::format("waiting for a node of {}{}", run.compute, remark), now);
}

Result<DockerArguments> docker_of(const Run& run) {
  return docker_arguments(object_at(run.environment, "definition"), object_at(run.environment, "docker"));
}

// Only an image has a /dev/shm of its own.
Status tell_of_shared_memory(Tx& tx, Run& run, const DockerArguments& asked) {
  if (!asks_for_shared_memory(asked)) return {};
  return add_notice(tx, run,
                    fmt::format("shm_size={} has no effect: the run is in no image and has the /dev/shm of its machine",
                                asked.shm_size));
}

Status take_limits(Tx& tx, Run& run, const DockerArguments& asked) {
  Json limits = Json::object();
  if (asked.memory > 0) limits["memory"] = asked.memory;
  if (asked.cpus > 0) limits["cpus"] = asked.cpus;
  if (!limits.empty()) run.environment["limits"] = std::move(limits);
  for (const auto& name : asked.no_effect) {
    ROOST_CHECK(add_notice(tx, run, fmt::format("the docker argument {} has no effect here", name)));
  }
  return {};
}

Status use_existing(Tx& tx, Run& run, const EnvironmentLook& look, const std::string& python, bool needed,
                    bool user_managed, Micros now) {
  run.environment["kind"] = "existing";
  run.environment["isolated"] = false;
  run.environment["python"] = python;
  if (needed && !look.runs(python)) {
    if (look.is_incomplete()) return look.incomplete();
    return settle_failed(tx, run,
                         python.empty() ? "no python3 was found on this machine; install it or set \"python\" "
                                          "in the configuration"
                                        : fmt::format("the Python interpreter {} does not exist or cannot be "
                                                      "run here; give another with --python",
                                                      python),
                         now);
  }
  return queue(tx, run, now,
               user_managed ? "; its environment manages itself: it runs on the host, not isolated" : "");
}

}  // namespace

std::string find_default_python(const std::string& configured) {
  if (!configured.empty()) return configured;
  std::vector<std::string> candidates = {"/usr/bin/python3"};
  if (const char* path = std::getenv("PATH")) {
    for (const auto& folder : split(path, ':')) candidates.push_back(folder + "/python3");
  }
  for (const auto& candidate : candidates) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

Result<BuildRequest> build_of(const Run& run, const BuildSettings& settings) {
  const Json& environment = run.environment;
  ROOST_TRY(const Pins pins, pins_of(environment, settings.pins));
  BuildRequest request;
  ROOST_TRY(request.plan, plan_environment(object_at(environment, "definition"), pins));
  request.lock = strings_at(environment, "lock");
  request.digest = request.plan.digest();
  if (!request.lock.empty()) {
    request.digest = sha256_hex(request.digest + to_text(Json(request.lock)));
  }
  return request;
}

Result<std::optional<BuildRequest>> prepare_environment(Tx& tx, Run& run, const BuildSettings& settings,
                                                        const EnvironmentLook& look, Micros now) {
  const std::string named = text_at(run.environment, "python");
  const Json definition = object_at(run.environment, "definition");
  const auto asked = docker_of(run);
  Json variables = defined_variables(definition);
  if (asked) variables.update(asked->variables);
  variables.update(object_at(run.environment, "variables"));
  run.environment["variables"] = std::move(variables);
  ROOST_CHECK(pass_status(tx, run, RunStatus::kPreparing, "checking the environment", now));

  // A named interpreter goes before the definition's. A shell command may need no Python at all.
  auto request = build_of(run, settings);
  if (!request) {
    ROOST_CHECK(settle_failed(tx, run, request.error().message, now));
    return std::nullopt;
  }
  if (!asked) {
    ROOST_CHECK(settle_failed(tx, run, asked.error().message, now));
    return std::nullopt;
  }
  ROOST_CHECK(take_limits(tx, run, *asked));
  const EnvironmentPlan& plan = request->plan;
  if (!named.empty() || !plan.needs_build()) {
    std::string python = named;
    if (python.empty() && plan.interpreter.starts_with('/')) python = plan.interpreter;
    const bool needed = run.spec.contains("script") || !python.empty();
    ROOST_CHECK(tell_of_shared_memory(tx, run, *asked));
    ROOST_CHECK(use_existing(tx, run, look, python.empty() ? settings.python : python, needed, plan.user_managed, now));
    return std::nullopt;
  }
  // A lock is that of an earlier build: if that one is still here, it is the very same.
  std::optional<CachedEnvironment> cached = look.cached(request->digest);
  if (!cached && !request->lock.empty()) {
    cached = look.cached(plan.digest());
    if (cached && cached->built.lock != request->lock) cached.reset();
  }
  if (look.is_incomplete()) return fail(look.incomplete().error());
  if (cached) {
    ROOST_CHECK(settle_built(tx, run, *cached, now));
    return std::nullopt;
  }
  run.environment["digest"] = request->digest;
  run.environment["kind"] = "building";
  ROOST_CHECK(save_run(tx, run));
  return std::move(*request);
}

Status settle_built(Tx& tx, Run& run, const CachedEnvironment& environment, Micros now) {
  const BuiltEnvironment& built = environment.built;
  run.environment["kind"] = built.builder;
  run.environment["isolated"] = !built.inside.is_null();
  run.environment["digest"] = environment.digest;
  run.environment["folder"] = environment.folder.string();
  run.environment["python"] = built.python;
  run.environment["lock"] = built.lock;
  run.environment["reason"] = built.reason;
  run.environment["changes"] = built.changes;
  const auto asked = docker_of(run);
  if (!built.inside.is_null()) {
    run.environment["python"] = text_at(built.inside, "python");
    run.environment["image"] = built.inside;
    if (asked && !asked->shm_size.empty()) run.environment["image"]["shm_size"] = asked->shm_size;
  } else if (asked) {
    ROOST_CHECK(tell_of_shared_memory(tx, run, *asked));
  }
  for (const auto& change : built.changes) {
    // What came by pip in place of conda is no pin that moved.
    const bool moved = change.find(" by conda ") == std::string::npos;
    ROOST_CHECK(add_notice(tx, run, moved ? fmt::format("pins: nearest: {}", change) : change));
  }
  for (const auto& note : built.notes) ROOST_CHECK(add_notice(tx, run, note));
  return queue(tx, run, now);
}

Status settle_failed(Tx& tx, Run& run, const std::string& message, Micros now) {
  std::string text = message.substr(0, 3000);
  run.error = {{"code", "environment_failed"}, {"message", text},
               {"last_lines", Json::array()}, {"node", nullptr}};
  return move_run(tx, run, RunStatus::kFailed, text, now);
}

}  // namespace roost
