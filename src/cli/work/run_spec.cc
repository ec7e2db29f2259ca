#include "cli/work/run_spec.h"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/work/environment_reference.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "domain/environment_plan.h"
#include "domain/names.h"
#include "domain/rank_plan.h"
#include "domain/resource_ask.h"
#include "domain/secret_variables.h"

namespace roost {
namespace {

Result<Json> parse_tags(const std::vector<std::string>& words) {
  Json tags = Json::object();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (key.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--tag \"{}\" has no key; write it like key=value", printable(word)));
    }
    tags[key] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return tags;
}

// "environment" of a spec: one that is registered or curated, or an interpreter of the node.
Result<Json> environment_part(const RunRequest& request) {
  Json part = Json::object();
  if (!request.python.empty()) part["python"] = request.python;
  if (request.environment.empty()) {
    if (request.pins.empty()) return part;
    return fail(ErrorCode::kInvalidArgument,
                "--pins is about the versions of an environment: name it by --environment");
  }
  if (!request.python.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "--python and an environment both say what to run in; give one of them");
  }
  ROOST_TRY(const EnvironmentReference reference, parse_environment_reference(request.environment));
  part["name"] = reference.name;
  if (!reference.version.empty()) part["version"] = reference.version;
  if (!request.pins.empty()) {
    ROOST_CHECK(parse_pins(request.pins));
    part["pins"] = request.pins;
  }
  return part;
}

Status check_count(const std::optional<std::int64_t>& count, const char* option) {
  if (!count || *count >= 1) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("{} {} is no count; it must be 1 or more", option, *count));
}

// "distributed" of a spec; null for a single process.
Result<Json> distributed_part(const RunRequest& request) {
  ROOST_CHECK(check_count(request.nodes, "--nodes"));
  ROOST_CHECK(check_count(request.processes, "--processes"));
  ROOST_CHECK(check_count(request.per_node, "--processes-per-node"));
  if (request.processes && request.per_node) {
    return fail(ErrorCode::kInvalidArgument,
                "--processes counts those of all nodes, --processes-per-node those of each; give one of them");
  }
  if (!request.nodes && !request.processes && !request.per_node && !request.mpi) return Json();
  const std::int64_t nodes = request.nodes.value_or(1);
  Json part = {{"kind", request.mpi ? "mpi" : "pytorch"}, {"node_count", nodes}};
  if (!request.mpi) {
    if (request.per_node) part["process_count"] = nodes * *request.per_node;
    if (request.processes) part["process_count"] = *request.processes;
  } else {
    if (request.processes && *request.processes % nodes != 0) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--processes {} cannot be shared out evenly over {} nodes", *request.processes, nodes));
    }
    part["process_count_per_node"] = request.processes ? *request.processes / nodes : request.per_node.value_or(1);
  }
  ROOST_CHECK(gang_of(part, 1));
  return part;
}

// "resources" of a spec; empty if all was left open.
Result<Json> resources_part(const RunRequest& request) {
  ROOST_CHECK(check_count(request.cpus, "--cpus"));
  if (request.gpus && *request.gpus < 0) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("--gpus {} is no count; it must be 0 or more", *request.gpus));
  }
  Json part = Json::object();
  if (request.gpus) part["gpus"] = *request.gpus;
  if (request.cpus) part["cpus"] = *request.cpus;
  if (!request.memory.empty()) {
    ROOST_TRY(part["memory_mb"], parse_memory_mb(request.memory));
  }
  return part;
}

void copy_fields(const Json& from, std::initializer_list<const char*> names, const char* part,
                 Json& spec) {
  for (const char* name : names) {
    if (const Json& value = child(from, name); !value.is_null()) spec[part][name] = value;
  }
}

void leave_out(Json& owner, const char* name) {
  if (!owner.contains(name) || !owner[name].is_object()) return;
  std::erase_if(owner[name].get_ref<Json::object_t&>(), [](const auto& item) { return item.second == kMaskedValue; });
}

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0].find_first_of(" \t\n") != std::string::npos) return words[0];
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += shell_quote(word);
  }
  return line;
}

std::string experiment_of_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(folder, error), error);
  std::string name;
  for (const char c : whole.filename().string()) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    if (fits) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name.erase(0, name.find_first_not_of("-_."));
  while (name.ends_with('-')) name.pop_back();
  constexpr std::size_t kLongest = 100;
  if (name.size() > kLongest) name.resize(kLongest);
  return name.empty() ? "runs" : name;
}

std::string active_python() {
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const char* prefix = std::getenv(name);
    if (!prefix || !*prefix) continue;
    const std::string python = std::string(prefix) + "/bin/python";
    if (access(python.c_str(), X_OK) == 0) return python;
  }
  return "";
}

Result<Json> parse_variables(const std::vector<std::string>& words, const std::string& option) {
  Json variables = Json::object();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const char* here = std::getenv(key.c_str());
    if (key.empty() || (equals == std::string::npos && !here)) {
      return fail(
          ErrorCode::kInvalidArgument,
          fmt::format("{} \"{}\" names no variable; write it like KEY=value, or KEY for one "
                      "that is set here. An environment is named by --environment",
                      option, printable(word)));
    }
    variables[key] = equals == std::string::npos ? here : word.substr(equals + 1);
  }
  return variables;
}

Result<Json> make_spec(const RunRequest& request) {
  if (request.command.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "no command: write what to run after --, as in `roost submit -- python train.py`");
  }
  // What the server would refuse anyway is said before a large folder is scanned.
  ROOST_CHECK(check_experiment_name(request.experiment));
  if (!request.compute.empty()) ROOST_CHECK(check_compute_name(request.compute));
  Json spec = {{"experiment", request.experiment}, {"command", shell_line(request.command)}};
  if (!request.compute.empty()) spec["compute"] = request.compute;
  if (!request.name.empty()) spec["display_name"] = request.name;
  ROOST_TRY(Json environment, environment_part(request));
  if (!environment.empty()) spec["environment"] = std::move(environment);
  ROOST_TRY(Json distributed, distributed_part(request));
  if (!distributed.is_null()) spec["distributed"] = std::move(distributed);
  ROOST_TRY(Json resources, resources_part(request));
  if (!resources.empty()) spec["resources"] = std::move(resources);
  if (request.priority != 0) spec["priority"] = request.priority;
  if (!request.notify.empty()) spec["notify"] = request.notify;
  if (request.max_retries != 0) spec["max_retries"] = request.max_retries;
  ROOST_TRY(Json tags, parse_tags(request.tags));
  if (!tags.empty()) spec["tags"] = std::move(tags);
  ROOST_TRY(Json variables, parse_variables(request.variables, "--env"));
  if (!variables.empty()) spec["environment_variables"] = std::move(variables);
  if (!request.time_limit.empty()) {
    ROOST_TRY(const std::int64_t seconds, parse_duration(request.time_limit, "--time-limit"));
    spec["max_run_duration_seconds"] = seconds;
  }
  return spec;
}

void leave_out_masked(Json& spec) {
  leave_out(spec, "environment_variables");
  if (spec.contains("environment")) leave_out(spec["environment"], "variables");
}

Result<Json> spec_to_repeat(const Json& run) {
  if (text_field(run, "type") == "interactive") {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} is an interactive run: it ran where it was made, and only its own "
                            "process knows what it did. Start that again",
                            text_field(run, "id")));
  }
  Json spec = Json::object();
  if (const Json& old = child(run, "spec"); old.is_object()) {
    for (const auto& [name, value] : old.items()) {
      if (!value.is_null()) spec[name] = value;
    }
  }
  for (const char* name : {"experiment", "compute", "snapshot"}) {
    if (const Json& pinned = child(run, name); !pinned.is_null()) spec[name] = pinned;
  }
  // Of what the server found out about these only what a spec may say.
  const Json& environment = child(run, "environment");
  copy_fields(environment, {"name", "version", "pins", "variables"}, "environment", spec);
  if (const Json& lock = child(environment, "lock"); lock.is_array() && !lock.empty()) {
    // The interpreter is that of the built environment, which may be gone by now.
    copy_fields(environment, {"lock"}, "environment", spec);
    // They may have come from the server's configuration, which may be another by now.
    if (!child(environment, "changes").empty()) spec["environment"]["pins"] = "nearest";
  } else {
    copy_fields(environment, {"python"}, "environment", spec);
  }
  leave_out_masked(spec);
  copy_fields(child(run, "git"), {"repository_uri", "branch", "commit", "dirty"}, "git", spec);
  return spec;
}

}  // namespace roost
