#include "builders/uv_resolver.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "builders/program.h"
#include "builders/requirement.h"

namespace roost {
namespace {

constexpr std::size_t kLongestProblem = 2000;

}  // namespace

std::string uv_problem(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& each : lines) {
    std::string_view line = trim(each);
    if (line.empty() || line.starts_with("hint:") || line.starts_with("warning:") || line.starts_with("Using Python")) continue;
    for (const std::string_view lead : {"error: No solution found when resolving dependencies", "\u00d7 No solution found when resolving dependencies:",
                                        "error: ", "cause: ", "\u2570\u2500\u25b6 ", "\u251c\u2500\u25b6 "}) {
      if (line.starts_with(lead)) line = trim(line.substr(lead.size()));
    }
    if (line.empty() || text.size() > kLongestProblem) continue;
    text += (text.empty() ? "" : " ") + std::string(line);
  }
  return text.empty() ? "uv failed without saying why" : text;
}

bool says_unreachable(std::string_view text) {
  for (const std::string_view words : {"error sending request", "client error (Connect)", "dns error", "tcp connect error",
                                       "operation timed out", "error trying to connect", "Network is unreachable"}) {
    if (text.find(words) != std::string_view::npos) return true;
  }
  return false;
}

void UvBuildOutput::add(std::string_view line) {
  line = trim(line);
  for (const std::string_view words : {"Failed to build `", "Failed to download and build `"}) {
    const auto at = line.find(words);
    if (at == std::string_view::npos || !package_.empty()) continue;
    package_ = line.substr(at + words.size());
    package_.resize(std::min(package_.find('`'), package_.size()));
  }
  if (line.find("rror: ") != std::string_view::npos && !line.starts_with("error: ")) error_ = line;
}

std::string UvBuildOutput::problem() const {
  return fmt::format("{} has no ready-made wheel for this Python, and building it from its source failed{}{}", package_,
                     error_.empty() ? "" : ": ", error_);
}

std::vector<std::string> UvResolver::binary_words(const Question& question) {
  std::vector<std::string> words;
  if (question.wheels_only) {
    words.insert(words.end(), {"--only-binary", ":all:"});
  } else {
    for (const auto& name : question.only_binary) words.insert(words.end(), {"--only-binary", name});
  }
  for (const auto& name : question.from_source) {
    if (!question.only_binary.contains(name)) words.insert(words.end(), {"--no-binary", name});
  }
  return words;
}

Result<std::string> UvResolver::write(const std::string& name, const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  const std::filesystem::path path = options_.folder / fmt::format("{}-{}.txt", asked_, name);
  ROOST_CHECK(write_file_atomic(path, text));
  return path.string();
}

Result<std::vector<std::string>> UvResolver::source_words() {
  std::vector<std::string> words = {"--index-strategy", "unsafe-best-match"};  // all indexes count, as for pip
  words.insert(words.end(), sources_.uv.begin(), sources_.uv.end());
  words.insert(words.end(), options_.more.begin(), options_.more.end());
  if (!options_.excluded.empty()) {
    ROOST_TRY(const std::string file, write("excluded", options_.excluded));
    words.insert(words.end(), {"--excludes", file});
  }
  return words;
}

Result<Answer> UvResolver::ask(const Question& question) {
  ++asked_;
  ROOST_CHECK(make_folders(options_.folder));
  // Of one package alone it is also asked what kind of wheel it has, which only this format tells.
  const bool one = !question.dependencies && question.requirements.size() == 1;
  const std::string out = options_.folder / (one ? fmt::format("pylock.{}.toml", asked_) : fmt::format("{}-out.txt", asked_));
  ROOST_TRY(const std::string in, write("in", question.requirements));
  ProgramRun run;
  run.words = {options_.uv, "pip", "compile", "--no-header", "--no-annotate", "--color", "never", "--python", options_.python, "-o", out};
  ROOST_TRY(const auto from, source_words());
  const auto kinds = binary_words(question);
  run.words.insert(run.words.end(), from.begin(), from.end());
  run.words.insert(run.words.end(), kinds.begin(), kinds.end());
  if (one) run.words.insert(run.words.end(), {"--format", "pylock.toml"});
  if (!question.dependencies) run.words.emplace_back("--no-deps");
  if (question.lowest) run.words.insert(run.words.end(), {"--resolution", "lowest-direct"});
  std::vector<std::string> constraints = options_.constraints;
  constraints.insert(constraints.end(), question.constraints.begin(), question.constraints.end());
  if (!constraints.empty()) {
    ROOST_TRY(const std::string file, write("constraints", constraints));
    run.words.insert(run.words.end(), {"-c", file});
  }
  run.words.push_back(in);
  prepare_program(run, sources_, options_.pristine && runs_nothing(question) && sources_.only_names);
  // Pages of an index are small: who does not answer now will not soon.
  run.variables["UV_HTTP_RETRIES"] = question.quick ? "0" : "2";
  if (question.quick) run.variables["UV_HTTP_TIMEOUT"] = "10";
  Answer answer;
  std::vector<std::string> said;
  UvBuildOutput building;
  run.on_line = [&](std::string_view line) {
    building.add(line);
    if (line.find("is yanked") != std::string_view::npos) answer.yanked = true;
    said.emplace_back(line);
  };
  ROOST_TRY(const int code, run_to_end(run));
  if (code != 0) {
    answer.problem = uv_problem(said);
    answer.unreachable = says_unreachable(answer.problem);
    if (!building.package().empty()) {
      const Requirement unbuilt = parse_requirement(building.package());
      answer.unbuilt = unbuilt.name;
      if (unbuilt.is_exact()) answer.unbuilt_version = unbuilt.condition.substr(2);
      answer.problem = building.problem();
    }
    return answer;
  }
  answer.found = true;
  ROOST_TRY(const std::string text, read_file(out));
  std::string name;
  for (const auto& each : split(text, '\n')) {
    const std::string_view line = trim(each);
    if (!one) {
      if (!line.empty() && !line.starts_with('#') && !line.starts_with('-')) answer.lock.emplace_back(line);
      continue;
    }
    const auto value = [&](std::string_view key) {
      const std::string_view rest = line.substr(key.size());
      return std::string(rest.substr(0, rest.find('"')));
    };
    if (line.starts_with("name = \"")) name = value("name = \"");
    if (line.starts_with("version = \"")) answer.lock.push_back(name + "==" + value("version = \""));
    if (line.starts_with("wheels = ") && line.find("-none-any.whl") == std::string_view::npos) answer.compiled = true;
  }
  return answer;
}

}  // namespace roost
