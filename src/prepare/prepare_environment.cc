#include "prepare/prepare_environment.h"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"
#include "records/run_records.h"

namespace roost {

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

namespace {

// What a definition that manages its own packages says to run with; "python" is any.
std::string own_interpreter(const Json& asked) {
  if (!asked.contains("definition")) return "";
  const Json python = asked["definition"].value("python", Json::object());
  if (!python.is_object() || !python.value("userManagedDependencies", false)) return "";
  const std::string path = python.value("interpreterPath", "");
  return path.starts_with('/') ? path : "";
}

Json defined_variables(const Json& definition) {
  Json variables = Json::object();
  const Json given = definition.value("environmentVariables", Json::object());
  if (!given.is_object()) return variables;
  for (const auto& item : given.items()) {
    if (check_variable_name(item.key()) && item.value().is_string()) variables[item.key()] = item.value();
  }
  return variables;
}

// Packages beyond Python and this SDK, which only a build could bring.
bool asks_for_packages(const Json& definition) {
  const Json python = definition.value("python", Json::object());
  if (!python.is_object() || python.value("userManagedDependencies", false)) return false;
  const Json conda = python.value("condaDependencies", Json::object());
  if (!conda.is_object()) return false;
  const Json dependencies = conda.value("dependencies", Json::array());
  for (const auto& item : dependencies) {
    if (item.is_string() && !item.get<std::string>().starts_with("python")) return true;
    if (!item.is_object() || !item.contains("pip") || !item["pip"].is_array()) continue;
    for (const auto& package : item["pip"]) {
      if (package.is_string() && !package.get<std::string>().starts_with("azureml")) return true;
    }
  }
  return false;
}

}  // namespace

Status prepare_environment(Tx& tx, Run& run, const std::string& default_python, Micros now) {
  const Json asked = run.environment;
  std::string python = asked.value("python", "");
  if (python.empty()) python = own_interpreter(asked);
  if (python.empty()) python = default_python;
  Json variables = asked.contains("definition") ? defined_variables(asked["definition"]) : Json::object();
  variables.update(asked.value("variables", Json::object()));
  run.environment = {{"kind", "existing"}, {"python", python}, {"variables", std::move(variables)}};
  for (const char* key : {"name", "version", "definition", "alias_of"}) {
    if (asked.contains(key)) run.environment[key] = asked[key];
  }
  ROOST_CHECK(move_run(tx, run, RunStatus::kPreparing, "checking the environment", now));
  if (asked.contains("definition") && asks_for_packages(asked["definition"])) {
    ROOST_CHECK(add_notice(tx, run,
                           fmt::format("the environment {}:{} is recorded, but this release does not build "
                                       "it: the script runs with {} and the packages found there",
                                       asked.value("name", ""), asked.value("version", ""), python)));
  }
  // A shell command may need no Python at all, so only a named interpreter must be there.
  const bool needed = run.spec.contains("script") || !run.spec["environment"].value("python", "").empty();
  if (needed && ::access(python.c_str(), X_OK) != 0) {
    const std::string message =
        python.empty()
            ? "no python3 was found on this machine; install it or set \"python\" in the configuration"
            : fmt::format("the Python interpreter {} does not exist or cannot be run here; give "
                          "another with --python",
                          python);
    run.error = {{"code", "environment_failed"}, {"message", message},
                 {"last_lines", Json::array()}, {"node", nullptr}};
    return move_run(tx, run, RunStatus::kFailed, message, now);
  }
  return move_run(tx, run, RunStatus::kQueued, fmt::format("waiting for a node of {}", run.compute),
                  now);
}

}  // namespace roost
