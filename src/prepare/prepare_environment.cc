#include "prepare/prepare_environment.h"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
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

Status prepare_environment(Tx& tx, Run& run, const std::string& default_python, Micros now) {
  std::string python = run.environment.value("python", "");
  if (python.empty()) python = default_python;
  run.environment = {{"kind", "existing"},
                     {"python", python},
                     {"variables", run.environment.value("variables", Json::object())}};
  ROOST_CHECK(move_run(tx, run, RunStatus::kPreparing, "checking the environment", now));
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
