#include "builders/pip_install.h"

#include "base/text.h"
#include "builders/program.h"
#include "domain/version.h"

namespace roost {

Result<std::vector<std::string>> find_pip(const std::string& base, const std::string& python, const BuildLog& log) {
  for (const std::string& one : {base, std::string("/usr/bin/python3")}) {
    const auto text = output_of({one, "-c", "import importlib.metadata as m; print(m.version('pip'))"});
    const auto version = parse_version(text ? *text : "");
    if (version && satisfies(*version, ">=22.3")) {
      return std::vector<std::string>{one, "-m", "pip", "--python", python};
    }
  }
  ProgramRun run;
  run.words = {python, "-m", "ensurepip"};
  run.variables = pip_variables();
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

std::vector<std::string> requirement_words(const std::vector<std::string>& lines) {
  std::vector<std::string> words;
  for (const auto& line : lines) {
    if (!line.starts_with('-')) {
      words.push_back(line);
      continue;
    }
    for (const auto& word : split(line, ' ')) {
      if (!word.empty()) words.push_back(word);
    }
  }
  return words;
}

std::map<std::string, std::string> pip_variables() {
  return {{"PIP_DISABLE_PIP_VERSION_CHECK", "1"}, {"PIP_NO_INPUT", "1"},
          {"PIP_BREAK_SYSTEM_PACKAGES", "1"},     {"PIP_PROGRESS_BAR", "off"},
          {"PYTHONDONTWRITEBYTECODE", "1"},       {"NO_COLOR", "1"}};
}

}  // namespace roost
