#include "builders/package_tool.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "builders/build_confine.h"
#include "builders/compiled_against.h"
#include "builders/explain.h"
#include "builders/old_packages.h"
#include "builders/pip_install.h"
#include "builders/pip_output.h"
#include "builders/pip_resolver.h"
#include "builders/pip_settings.h"
#include "builders/program.h"
#include "builders/requirement.h"
#include "builders/uv_resolver.h"
#include "builders/uv_tool.h"

namespace roost {
namespace {

constexpr int kMostTries = 6;  // each finds a source that cannot be built

// Tells from time to time that a download or a compiler is still at work.
void show_progress(ProgramRun& run, const BuildLog& log) {
  run.on_quiet = [&log](std::uint64_t written) {
    log(fmt::format("... still at it, {} written so far", human_bytes(written)));
  };
}

// What is built from source was settled by its version; told so again, neither program would use what it built before.
Question kinds_of(bool wheels_only, const std::set<std::string>& only_binary) {
  Question question;
  question.wheels_only = wheels_only;
  question.only_binary = only_binary;
  return question;
}

std::string version_in(const std::vector<std::string>& lock, const std::string& name) {
  for (const auto& line : lock) {
    const Requirement one = parse_requirement(line);
    if (one.name == name && one.is_exact()) return one.condition.substr(2);
  }
  return "";
}

// Whether a version of it is asked for.
bool is_asked_for(const std::vector<std::string>& requirements, const std::string& name) {
  return std::any_of(requirements.begin(), requirements.end(), [&](const std::string& line) {
    const Requirement asked = parse_requirement(line);
    return asked.name == name && !asked.condition.empty();
  });
}

// Whether two sets have the same versions of what was asked for with a condition.
bool same_asked(const std::vector<std::string>& requirements, const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto line_of = [](const std::vector<std::string>& lock, const std::string& name) {
    const auto it = std::find_if(lock.begin(), lock.end(), [&](const std::string& line) { return parse_requirement(line).name == name; });
    return it == lock.end() ? std::string() : *it;
  };
  return std::all_of(requirements.begin(), requirements.end(), [&](const std::string& line) {
    const Requirement asked = parse_requirement(line);
    return asked.condition.empty() || line_of(a, asked.name) == line_of(b, asked.name);
  });
}

}  // namespace

Result<std::unique_ptr<PackageTool>> PackageTool::open(const BuildOrder& order, const std::string& base,
                                                       const std::string& python, const std::vector<std::string>& lines,
                                                       const std::filesystem::path& folder, const BuildLog& log) {
  const BuildSettings& settings = order.settings;
  std::unique_ptr<PackageTool> tool(new PackageTool(log));
  tool->python_ = python;
  tool->folder_ = folder;
  // There before anything is shown of the folder they are in.
  ROOST_CHECK(make_folders(folder));
  if (!settings.cache.empty()) ROOST_CHECK(make_folders(settings.cache));
  tool->uv_ = find_uv(settings, log);
  ROOST_TRY(auto hidden, hidden_from_build(order));
  auto pip = find_pip(order, base, python, log);
  if (!pip && tool->uv_.empty()) return fail(pip.error());
  std::string config;
  if (pip) {
    tool->pip_ = *pip;
    config = pip_settings(settings, *pip, hidden);
  }
  tool->sources_ = package_sources(settings, lines, config);
  if (hidden) tool->keep_out(std::move(*hidden), settings.cache);
  return tool;
}

void PackageTool::keep_out(HiddenFolders hidden, const std::string& cache) {
  auto& confined = sources_.confined;
  // Cache and environment are shown as two mounts, between which there are no links.
  confined["UV_LINK_MODE"] = "copy";
  // The shared cache is seen under a layer of the build's own. Where there is no overlayfs it cannot be written to, and the
  // build has one to itself.
  if (!cache.empty() && !output_of({"/bin/sh", "-c", "touch \"$0/.probe\"", cache}, hidden)) {
    const std::string own = folder_ / "own-cache";
    confined["PIP_CACHE_DIR"] = own + "/pip";
    confined["UV_CACHE_DIR"] = own + "/uv";
  }
  sources_.hidden = std::move(hidden);
}

PackageTool::~PackageTool() { (void)remove_tree(folder_); }

std::unique_ptr<Resolver> PackageTool::resolver() const {
  const PipResolver::Options for_pip{pip_, folder_, more, constraints, pristine};
  if (!is_uv()) return std::make_unique<PipResolver>(for_pip, sources_);
  UvResolver::Options options{uv_, python_, folder_, more, constraints, pristine, excluded, {}};
  if (torch_cpu_index) options.more.insert(options.more.end(), {"--torch-backend", "cpu"});
  if (!pip_.empty()) {
    // uv does not tell which versions there are.
    options.versions = [this, for_pip](const std::string& name) { return PipResolver(for_pip, sources_).versions(name); };
  }
  return std::make_unique<UvResolver>(std::move(options), sources_);
}

// Mostly what is asked for fits, and has wheels. Then one call of uv finds the versions and installs them. Whatever it
// cannot do so, or should not have taken, is left to those who look closer, in an environment that is empty again.
Result<bool> PackageTool::fill_at_once(const std::vector<std::string>& requirements) {
  Step all;
  all.lines = requirements;
  all.wheels_only = true;
  all.trusted = true;
  all.with_needs = true;
  all.variables["UV_HTTP_RETRIES"] = "2";  // those who look closer have patience
  auto limits = constraints;
  if (!is_asked_for(requirements, "setuptools")) limits.emplace_back(kSetuptoolsOfTheirTime);
  if (!limits.empty()) {
    std::string text;
    for (const auto& line : limits) text += line + "\n";
    const std::string file = folder_ / "limits.txt";
    ROOST_CHECK(write_file_atomic(file, text));
    all.more = {"-c", file};
  }
  bool is_fine = true;
  std::vector<std::string> lock;
  all.on_line = [&](std::string_view line) {
    // Why not is said by those who look closer.
    const std::string_view words = trim(line);
    for (const std::string_view lead : {"error:", "\u00d7 "}) is_fine = is_fine && !words.starts_with(lead);
    is_fine = is_fine && words.find("is yanked") == std::string_view::npos;
    if (is_fine) log_(line);
    if (words.starts_with("+ ")) lock.emplace_back(words.substr(2));
  };
  std::string unbuilt;
  if (run_step(all, {}, unbuilt) && is_fine) {
    auto more_so = constraints_of_their_time(lock);
    std::erase_if(more_so, [&](const std::string& line) { return is_asked_for(requirements, parse_requirement(line).name); });
    if (more_so.empty()) return true;
  }
  ROOST_CHECK(start_over());
  return false;
}

Result<PackageTool::Filled> PackageTool::fill(const std::vector<std::string>& requirements, Pins pins,
                                              const NodePackages& there) {
  if (is_uv() && start_over && pristine && sources_.only_names && there.empty()) {
    ROOST_TRY(const bool is_filled, fill_at_once(requirements));
    if (is_filled) return Filled{};
  }
  Unbuildable unbuildable;
  for (int tries = 0; tries < kMostTries; ++tries) {
    ROOST_TRY(Settled settled, settle_versions(*resolver(), requirements, pins, unbuildable, log_));
    auto more_so = constraints_of_their_time(settled.lock);
    // Only if nobody says otherwise.
    std::erase_if(more_so, [&](const std::string& line) { return is_asked_for(requirements, parse_requirement(line).name); });
    if (!more_so.empty()) {
      const auto before = constraints;
      constraints.insert(constraints.end(), more_so.begin(), more_so.end());
      if (auto older = settle_versions(*resolver(), requirements, pins, unbuildable, log_); older && same_asked(requirements, settled.lock, older->lock)) {
        settled = std::move(*older);
      }
      constraints = before;
    }
    Filled filled;
    std::vector<std::string> to_install;
    for (const auto& line : settled.lock) {
      const Requirement one = parse_requirement(line);
      if (std::find(excluded.begin(), excluded.end(), one.name) != excluded.end()) continue;  // pip cannot be told
      const auto own = there.find(one.name);
      if (one.is_url) filled.urls[one.name] = line;
      if (own != there.end() && one.condition == "==" + own->second) {
        filled.kept[one.name] = own->second;
      } else {
        to_install.push_back(line);
      }
    }
    settled.lock = std::move(to_install);
    std::string unbuilt;
    const Status installed = install(settled, unbuilt);
    if (installed) return filled;
    const std::string version = version_in(settled.lock, unbuilt);
    auto& tried = unbuildable[unbuilt];
    if (unbuilt.empty() || std::find(tried.begin(), tried.end(), version) != tried.end()) return fail(installed.error());
    tried.push_back(version);
    if (pins != Pins::kNearest) return fail(ErrorCode::kFailedPrecondition, installed.error().message + std::string(kTwoWaysOut));
    log_(fmt::format("{}; looking for the nearest version that has a wheel or can be built", installed.error().message));
  }
  return fail(ErrorCode::kFailedPrecondition, "too many packages have no wheel for this Python and cannot be built");
}

Status PackageTool::install(const Settled& settled, std::string& unbuilt) {
  Step ready;
  Step sources;
  std::vector<std::string> against_others;
  for (const auto& line : settled.lock) {
    const Requirement one = parse_requirement(line);
    if (settled.wheels_only && !one.is_url && !settled.from_source.contains(one.name)) {
      ready.lines.push_back(line);
    } else if (is_compiled_against_others(one.name) && !one.is_url) {
      against_others.push_back(line);
    } else {
      sources.lines.push_back(line);
    }
  }
  ready.wheels_only = true;
  ready.trusted = pristine && sources_.only_names;
  ROOST_CHECK(run_step(ready, settled.only_binary, unbuilt));
  ROOST_CHECK(run_step(sources, settled.only_binary, unbuilt));
  return against_others.empty() ? Status() : compile(against_others, settled, unbuilt);
}

Status PackageTool::compile(const std::vector<std::string>& lines, const Settled& settled, std::string& unbuilt) {
  const std::string tools = folder_ / "compile";
  Step fetch;
  fetch.lines = compile_tools();
  fetch.more = {"--target", tools};
  fetch.with_needs = true;
  ROOST_CHECK(run_step(fetch, {}, unbuilt));
  Step build;
  build.lines = lines;
  build.isolated = false;
  std::vector<std::string> names;
  for (const auto& line : lines) names.push_back(parse_requirement(line).name);
  log_(fmt::format("compiling {} against what is installed; this can take minutes", fmt::join(lines, ", ")));
  build.variables = compile_variables(names, settled.lock);
  build.variables["PYTHONPATH"] = tools;
  return run_step(build, settled.only_binary, unbuilt);
}

Status PackageTool::run_step(const Step& step, const std::set<std::string>& only_binary, std::string& unbuilt) {
  if (step.lines.empty()) return {};
  std::string text;
  for (const auto& line : step.lines) text += line + "\n";
  const std::string file = folder_ / "install.txt";
  ROOST_CHECK(write_file_atomic(file, text));
  const Status done = is_uv() ? run_uv(step, file, only_binary, unbuilt) : run_pip(step, file, only_binary, unbuilt);
  pristine = false;
  return done;
}

Status PackageTool::run_uv(const Step& step, const std::string& file, const std::set<std::string>& only_binary,
                           std::string& unbuilt) {
  UvResolver::Options options{uv_, python_, folder_, more, {}, pristine, excluded, {}};
  if (torch_cpu_index) options.more.insert(options.more.end(), {"--torch-backend", "cpu"});
  ProgramRun run;
  run.words = {uv_, "pip", "install", "--python", python_, "--color", "never"};
  if (!step.with_needs) run.words.emplace_back("--no-deps");
  if (!step.isolated) run.words.emplace_back("--no-build-isolation");
  ROOST_TRY(const auto from, UvResolver(options, sources_).source_words());
  const auto kinds = UvResolver::binary_words(kinds_of(step.wheels_only, only_binary));
  run.words.insert(run.words.end(), from.begin(), from.end());
  run.words.insert(run.words.end(), kinds.begin(), kinds.end());
  run.words.insert(run.words.end(), step.more.begin(), step.more.end());
  run.words.insert(run.words.end(), {"-r", file});
  prepare_program(run, sources_, step.trusted);
  for (const auto& [name, value] : step.variables) run.variables[name] = value;
  std::vector<std::string> said;
  UvBuildOutput building;
  run.on_line = [&](std::string_view line) {
    step.on_line ? step.on_line(line) : log_(line);
    building.add(line);
    if (said.size() < 200) said.emplace_back(line);
  };
  show_progress(run, log_);
  ROOST_TRY(const int code, run_to_end(run));
  if (code == 0) return {};
  const std::string problem = uv_problem(said);
  if (!building.package().empty()) {
    unbuilt = parse_requirement(building.package()).name;
    return fail(ErrorCode::kFailedPrecondition, building.problem());
  }
  return fail(says_unreachable(problem) ? ErrorCode::kUnavailable : ErrorCode::kFailedPrecondition, problem);
}

Status PackageTool::run_pip(const Step& step, const std::string& file, const std::set<std::string>& only_binary,
                            std::string& unbuilt) {
  ProgramRun run;
  run.words = pip_;
  run.words.insert(run.words.end(), {"install", "--ignore-installed"});
  if (!step.with_needs) run.words.emplace_back("--no-deps");
  if (!step.isolated) run.words.emplace_back("--no-build-isolation");
  run.words.insert(run.words.end(), sources_.pip.begin(), sources_.pip.end());
  run.words.insert(run.words.end(), more.begin(), more.end());
  const auto kinds = UvResolver::binary_words(kinds_of(step.wheels_only, only_binary));
  run.words.insert(run.words.end(), kinds.begin(), kinds.end());
  run.words.insert(run.words.end(), step.more.begin(), step.more.end());
  run.words.insert(run.words.end(), {"-r", file});
  prepare_program(run, sources_, step.trusted);
  for (const auto& [name, value] : step.variables) run.variables[name] = value;
  PipOutput output;
  run.on_line = [&](std::string_view line) {
    log_(line);
    output.add(line);
  };
  show_progress(run, log_);
  ROOST_TRY(const int code, run_to_end(run));
  if (code == 0) return {};
  unbuilt = parse_requirement(output.failed_source()).name;
  return fail(output.could_not_connect() ? ErrorCode::kUnavailable : ErrorCode::kFailedPrecondition, output.problem());
}

}  // namespace roost
