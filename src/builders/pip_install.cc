#include "builders/pip_install.h"

#include <unistd.h>

#include "base/text.h"
#include "builders/build_confine.h"
#include "builders/program.h"

namespace roost {

Result<std::vector<std::string>> find_pip(const BuildOrder& order, const std::string& base, const std::string& python,
                                          const BuildLog& log) {
  // `pip --python X` (22.3 and later) starts this very file with X; doing that ourselves saves half a
  // second, the time that pip takes to load only to start itself again.
  constexpr const char* kWhere =
      "import importlib.util as u; print(u.find_spec('pip').submodule_search_locations[0] + '/__pip-runner__.py')";
  for (const std::string& one : {base, std::string("/usr/bin/python3")}) {
    // The base of a conda environment is what was just installed.
    ROOST_TRY(auto hidden, hidden_from_build(order));
    const auto text = output_of({one, "-c", kWhere}, std::move(hidden));
    const std::string runner(trim(text ? *text : ""));
    if (!runner.empty() && ::access(runner.c_str(), R_OK) == 0) return std::vector<std::string>{python, runner};
  }
  ProgramRun run;
  run.words = {python, "-m", "ensurepip"};
  run.variables = pip_variables();
  ROOST_TRY(run.hidden, hidden_from_build(order));
  run.on_line = log;
  ROOST_TRY(const int code, run_to_end(run));
  if (code == 0) return std::vector<std::string>{python, "-m", "pip"};
  return fail(ErrorCode::kFailedPrecondition,
              "there is no pip on this machine; on Debian: apt-get install python3-pip python3-venv");
}

std::vector<std::string> pip_sources(const BuildSettings& settings) {
  std::vector<std::string> words;
  if (settings.offline) words.emplace_back("--no-index");
  if (!settings.index_url.empty()) words.insert(words.end(), {"--index-url", settings.index_url});
  if (!settings.wheels.empty()) words.insert(words.end(), {"--find-links", settings.wheels});
  return words;
}

std::map<std::string, std::string> pip_variables() {
  return {{"PIP_DISABLE_PIP_VERSION_CHECK", "1"}, {"PIP_NO_INPUT", "1"},
          {"PIP_BREAK_SYSTEM_PACKAGES", "1"},     {"PIP_PROGRESS_BAR", "off"},
          {"PYTHONDONTWRITEBYTECODE", "1"},       {"NO_COLOR", "1"}};
}

}  // namespace roost
