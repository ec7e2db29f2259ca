#include "builders/pip_resolver.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "builders/pip_output.h"
#include "builders/program.h"
#include "builders/requirement.h"
#include "builders/uv_resolver.h"
#include "domain/version.h"

namespace roost {

std::vector<std::string> PipResolver::versions(const std::string& name) {
  auto found = versions_of(name, true);
  return found.empty() ? versions_of(name, false) : found;
}

// pip tells which versions there are when none of them will do.
std::vector<std::string> PipResolver::versions_of(const std::string& name, bool wheels_only) {
  ProgramRun run;
  run.words = options_.pip;
  run.words.insert(run.words.end(), {"install", "--dry-run", "--no-deps", "--ignore-installed"});
  if (wheels_only) run.words.insert(run.words.end(), {"--only-binary", ":all:"});
  run.words.insert(run.words.end(), sources_.pip.begin(), sources_.pip.end());
  run.words.insert(run.words.end(), options_.more.begin(), options_.more.end());
  run.words.push_back(name + "==99999999.0.dev0");
  prepare_program(run, sources_, false);
  run.variables["PIP_RETRIES"] = "1";
  PipOutput output;
  run.on_line = [&](std::string_view line) { output.add(line); };
  (void)run_to_end(run);
  return output.no_version() ? output.no_version()->versions : std::vector<std::string>();
}

// The oldest version that fulfils the one requirement, a pre-release only where there is nothing else.
Result<Answer> PipResolver::ask_lowest(const Question& question) {
  const Requirement asked = parse_requirement(question.requirements.front());
  Question exactly = question;
  exactly.lowest = false;
  const auto versions = versions_of(asked.name, question.wheels_only);
  for (const bool final_ones : {true, false}) {
    for (const auto& text : versions) {
      const auto version = parse_version(text);
      if (!version || version->is_final != final_ones || !satisfies(*version, asked.condition)) continue;
      exactly.requirements = {asked.with("==" + text)};
      ROOST_TRY(Answer answer, ask(exactly));
      if (!answer.yanked) return answer;
    }
  }
  Answer answer;
  answer.problem = fmt::format("{} cannot be had", asked.line);
  return answer;
}

Result<Answer> PipResolver::ask(const Question& question) {
  if (question.lowest) return ask_lowest(question);
  ++asked_;
  ROOST_CHECK(make_folders(options_.folder));
  const std::string report = options_.folder / fmt::format("{}-report.json", asked_);
  ProgramRun run;
  run.words = options_.pip;
  run.words.insert(run.words.end(), {"install", "--dry-run", "--ignore-installed", "--report", report});
  run.words.insert(run.words.end(), sources_.pip.begin(), sources_.pip.end());
  run.words.insert(run.words.end(), options_.more.begin(), options_.more.end());
  const auto kinds = UvResolver::binary_words(question);
  run.words.insert(run.words.end(), kinds.begin(), kinds.end());
  if (!question.dependencies) run.words.emplace_back("--no-deps");
  std::string constraints;
  for (const auto& line : options_.constraints) constraints += line + "\n";
  for (const auto& line : question.constraints) constraints += line + "\n";
  if (!constraints.empty()) {
    const std::string file = options_.folder / fmt::format("{}-constraints.txt", asked_);
    ROOST_CHECK(write_file_atomic(file, constraints));
    run.words.insert(run.words.end(), {"-c", file});
  }
  run.words.insert(run.words.end(), question.requirements.begin(), question.requirements.end());
  prepare_program(run, sources_, options_.pristine && runs_nothing(question) && sources_.only_names);
  run.variables["PIP_RETRIES"] = "1";
  PipOutput output;
  run.on_line = [&](std::string_view line) { output.add(line); };
  ROOST_TRY(const int code, run_to_end(run));
  Answer answer;
  if (code != 0) {
    answer.problem = output.problem();
    answer.unreachable = output.could_not_connect();
    const Requirement unbuilt = parse_requirement(output.failed_source());
    answer.unbuilt = unbuilt.name;
    if (unbuilt.is_exact()) answer.unbuilt_version = unbuilt.condition.substr(2);
    return answer;
  }
  answer.found = true;
  answer.yanked = output.yanked();
  const auto text = read_file(report);
  const Json json = text ? stored_json(*text) : Json();
  const Json items = member(json, "install");
  if (!items.is_array()) return answer;  // all of it was there, or its markers left nothing
  for (const auto& item : items) {
    const Json metadata = member(item, "metadata");
    const std::string url = text_at(member(item, "download_info"), "url");
    const std::string name = parse_requirement(text_at(metadata, "name")).name;
    if (flag_at(item, "is_yanked")) answer.yanked = true;
    if (flag_at(item, "is_direct")) {
      const Json vcs = member(member(item, "download_info"), "vcs_info");
      answer.lock.push_back(vcs.is_object() ? fmt::format("{} @ {}+{}@{}", name, text_at(vcs, "vcs"), url, text_at(vcs, "commit_id"))
                                            : fmt::format("{} @ {}", name, url));
      continue;
    }
    answer.lock.push_back(fmt::format("{}=={}", name, text_at(metadata, "version")));
    if (url.ends_with(".whl") && !url.ends_with("-none-any.whl")) answer.compiled = true;
  }
  return answer;
}

}  // namespace roost
