#include "builders/package_tool.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "builders/build_confine.h"
#include "builders/explain.h"
#include "builders/old_packages.h"
#include "builders/pip_install.h"
#include "builders/pip_output.h"
#include "builders/pip_resolver.h"
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
Question kinds_of(const Settled& settled) {
  Question question;
  question.only_binary = settled.only_binary;
  return question;
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
    std::vector<std::string> words = *pip;
    words.insert(words.end(), {"config", "list"});
    config = output_of(words, hidden).value_or("");
  }
  tool->sources_ = package_sources(settings, lines, config);
  // Cache and environment are shown as two mounts, between which there are no links.
  if (hidden) tool->sources_.variables["UV_LINK_MODE"] = "copy";
  tool->sources_.hidden = std::move(hidden);
  return tool;
}

PackageTool::~PackageTool() { (void)remove_tree(folder_); }

std::unique_ptr<Resolver> PackageTool::resolver() const {
  const PipResolver::Options for_pip{pip_, folder_, more, constraints};
  if (!is_uv()) return std::make_unique<PipResolver>(for_pip, sources_);
  UvResolver::Options options{uv_, python_, folder_, more, constraints, excluded, {}};
  if (torch_cpu_index) options.more.insert(options.more.end(), {"--torch-backend", "cpu"});
  if (!pip_.empty()) {
    // uv does not tell which versions there are.
    options.versions = [this, for_pip](const std::string& name) { return PipResolver(for_pip, sources_).versions(name); };
  }
  return std::make_unique<UvResolver>(std::move(options), sources_);
}

Result<PackageTool::Filled> PackageTool::fill(const std::vector<std::string>& requirements, Pins pins,
                                              const NodePackages& there) {
  std::set<std::string> unbuildable;
  for (int tries = 0; tries < kMostTries; ++tries) {
    ROOST_TRY(Settled settled, settle_versions(*resolver(), requirements, pins, unbuildable, log_));
    if (const auto more_so = constraints_of_their_time(settled.lock); !more_so.empty()) {
      // Only if nobody says otherwise.
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
    if (unbuilt.empty() || !unbuildable.insert(unbuilt).second) return fail(installed.error());
    if (pins != Pins::kNearest) return fail(ErrorCode::kFailedPrecondition, installed.error().message + std::string(kTwoWaysOut));
    log_(fmt::format("{}; looking for the nearest version with a wheel", installed.error().message));
  }
  return fail(ErrorCode::kFailedPrecondition, "too many packages have no wheel for this Python and cannot be built");
}

Status PackageTool::install(const Settled& settled, std::string& unbuilt) {
  if (settled.lock.empty()) return {};
  std::string text;
  for (const auto& line : settled.lock) text += line + "\n";
  const std::string file = folder_ / "install.txt";
  ROOST_CHECK(write_file_atomic(file, text));
  return is_uv() ? install_with_uv(settled, file, unbuilt) : install_with_pip(settled, file, unbuilt);
}

Status PackageTool::install_with_uv(const Settled& settled, const std::string& file, std::string& unbuilt) {
  UvResolver::Options options{uv_, python_, folder_, more, {}, excluded, {}};
  if (torch_cpu_index) options.more.insert(options.more.end(), {"--torch-backend", "cpu"});
  ProgramRun run;
  run.words = {uv_, "pip", "install", "--python", python_, "--color", "never", "--no-deps"};
  ROOST_TRY(const auto from, UvResolver(options, sources_).source_words());
  const auto kinds = UvResolver::binary_words(kinds_of(settled));
  run.words.insert(run.words.end(), from.begin(), from.end());
  run.words.insert(run.words.end(), kinds.begin(), kinds.end());
  run.words.insert(run.words.end(), {"-r", file});
  run.variables = sources_.variables;
  run.hidden = sources_.hidden;
  std::vector<std::string> said;
  UvBuildOutput building;
  run.on_line = [&](std::string_view line) {
    log_(line);
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

Status PackageTool::install_with_pip(const Settled& settled, const std::string& file, std::string& unbuilt) {
  ProgramRun run;
  run.words = pip_;
  run.words.insert(run.words.end(), {"install", "--no-deps", "--ignore-installed"});
  run.words.insert(run.words.end(), sources_.pip.begin(), sources_.pip.end());
  run.words.insert(run.words.end(), more.begin(), more.end());
  const auto kinds = UvResolver::binary_words(kinds_of(settled));
  run.words.insert(run.words.end(), kinds.begin(), kinds.end());
  run.words.insert(run.words.end(), {"-r", file});
  run.variables = sources_.variables;
  run.hidden = sources_.hidden;
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
