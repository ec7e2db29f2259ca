#include "builders/conda_builder.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "builders/build_confine.h"
#include "builders/distributions.h"
#include "builders/explain.h"
#include "builders/node_packages.h"
#include "builders/package_tool.h"
#include "builders/program.h"
#include "builders/rattler_program.h"
#include "builders/requirement.h"
#include "builders/uv_resolver.h"
#include "domain/version.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr int kMostTries = 40;  // each moves one pin
constexpr std::string_view kMissing = "roost:missing ";
constexpr std::string_view kProblem = "roost:problem ";

bool is_of_pip(const std::string& locked) { return locked.find("==") != std::string::npos; }

std::string package_name(std::string_view package) {
  if (const auto channel = package.find("::"); channel != std::string_view::npos) package.remove_prefix(channel + 2);
  return lower(package.substr(0, package.find_first_of(" =<>!~[")));
}

bool is_local(std::string_view channel) { return channel.starts_with('/') || channel.starts_with("file:"); }

class CondaBuild {
 public:
  CondaBuild(const BuildOrder& order, const CondaTool& tool, const BuildLog& log)
      : order_(order), tool_(tool), log_(log), file_(order.folder + ".conda"),
        prefix_(order.folder + (tool.kind == CondaTool::Kind::kRattler ? "" : "/env")) {
    const EnvironmentPlan& plan = order.plan;
    channels_ = order.settings.channels.empty() ? plan.channels : order.settings.channels;
    if (channels_.empty()) channels_ = {"conda-forge"};
    for (const auto& line : order.lock) (is_of_pip(line) ? pip_ : packages_).push_back(line);
    if (!order.lock.empty()) return;
    std::string python = plan.python;
    if (!python.empty() && python.find_first_of("=<>!~") == std::string::npos) python.insert(0, "=");
    packages_.push_back("python" + python);
    packages_.insert(packages_.end(), plan.conda.begin(), plan.conda.end());
    pip_ = plan.pip;
  }

  ~CondaBuild() {
    std::error_code error;
    fs::remove(file_, error);
  }

  Result<BuiltEnvironment> run() {
    ROOST_CHECK(check_channels());
    built_.builder = "conda";
    built_.python = prefix_ + "/bin/python";
    log_(fmt::format("Step 1/3: {} of conda's packages, by {}", packages_.size(), tool_.words()));
    ROOST_CHECK(make_folders(order_.folder));  // there before anything is shown of the folder it is in
    ROOST_CHECK(tool_.kind == CondaTool::Kind::kRattler ? install_with_rattler() : install_with_conda());
    log_(fmt::format("Step 2/3: {} of pip's packages", pip_.size()));
    if (!pip_.empty()) ROOST_CHECK(install_with_pip());
    log_("Step 3/3: the exact versions");
    lock();
    return built_;
  }

 private:
  Status check_channels() const {
    if (!order_.settings.offline) return {};
    for (const auto& channel : channels_) {
      if (is_local(channel)) continue;
      return fail(ErrorCode::kUnavailable,
                  fmt::format("the channel {} is not on this machine, and environments.offline forbids to ask for "
                              "it; name a folder, in the definition or as environments.channels",
                              channel));
    }
    return {};
  }

  Status install_with_conda() {
    // A JSON text is YAML too, and no package name can break out of it.
    const std::string yaml = file_ + ".yml";
    ROOST_CHECK(write_file_atomic(yaml, to_text({{"channels", channels_}, {"dependencies", packages_}})));
    ProgramRun run;
    run.words = {tool_.path};
    if (tool_.kind == CondaTool::Kind::kConda) run.words.emplace_back("env");
    run.words.insert(run.words.end(), {"create", "-y", "-p", prefix_, "-f", yaml});
    if (order_.settings.offline) run.words.emplace_back("--offline");
    run.variables = {{"CONDA_OVERRIDE_CUDA", ""}, {"NO_COLOR", "1"}};
    ROOST_TRY(run.hidden, hidden_from_build(order_, {yaml}));
    std::vector<std::string> said;
    run.on_line = [&](std::string_view line) {
      log_(line);
      const std::string_view text = trim(line);
      const bool matters = text.find("nothing provides") != std::string_view::npos ||
                           text.find("does not exist") != std::string_view::npos ||
                           text.find("PackagesNotFound") != std::string_view::npos ||
                           text.find("conflict") != std::string_view::npos ||
                           text.find("rror") != std::string_view::npos;
      if (matters && said.size() < 3) said.emplace_back(text);
    };
    const auto code = run_to_end(run);
    std::error_code error;
    fs::remove(yaml, error);
    if (!code) return fail(code.error());
    if (*code == 0) return {};
    const bool unreachable = std::any_of(said.begin(), said.end(), [](const std::string& line) {
      return line.find("HTTP") != std::string::npos || line.find("resolve host") != std::string::npos ||
             line.find("onnection") != std::string::npos;
    });
    if (unreachable) return fail(ErrorCode::kUnavailable, fmt::format("the channel {} does not answer from this machine: {}", fmt::join(channels_, ", "), said.front()));
    std::string message = fmt::format("conda could not make the environment (exit code {})", *code);
    for (const auto& line : said) message += "; " + line;
    return fail(ErrorCode::kFailedPrecondition, message);
  }

  Status install_with_rattler() {
    for (int tries = 0; tries < kMostTries; ++tries) {
      std::string problem;
      Json missing;
      ROOST_TRY(const int code, call_rattler(problem, missing));
      if (code == 0) return {};
      if (!missing.is_object()) {
        if (says_unreachable(problem)) {
          return fail(ErrorCode::kUnavailable, fmt::format("the channel {} does not answer from this machine", fmt::join(channels_, ", ")));
        }
        return fail(ErrorCode::kFailedPrecondition, "conda could not make the environment: " + problem);
      }
      if (order_.plan.pins != Pins::kNearest || !order_.lock.empty() || !move_pin(missing)) {
        return fail(ErrorCode::kFailedPrecondition, explain(missing));
      }
    }
    return fail(ErrorCode::kFailedPrecondition, "too many packages cannot be had as they are pinned");
  }

  Result<int> call_rattler(std::string& problem, Json& missing) {
    Json channels = Json::array();
    for (const auto& one : channels_) channels.push_back(one.starts_with('/') ? "file://" + one : one);
    Json packages = Json::array();
    for (const auto& one : packages_) {
      std::string exact = one;
      // "=1.2" would take 1.2.3 too.
      if (!order_.lock.empty()) exact.insert(std::min(one.find('='), one.size()), "=");
      packages.push_back({package_name(one), exact});
    }
    ROOST_CHECK(write_file_atomic(
        file_, to_text({{"channels", channels}, {"packages", packages}, {"folder", prefix_}})));
    ProgramRun run;
    run.words = {tool_.path, "-c", kRattlerProgram, file_};
    run.variables = {{"NO_COLOR", "1"}};
    ROOST_TRY(run.hidden, hidden_from_build(order_, {file_}));
    run.on_line = [&](std::string_view line) {
      if (line.starts_with(kMissing)) {
        const Json found = stored_json(line.substr(kMissing.size()));
        if (missing.is_null()) missing = found;
      } else if (line.starts_with(kProblem)) {
        problem = line.substr(kProblem.size());
        log_(problem);
      } else {
        log_(line);
      }
    };
    return run_to_end(run);
  }

  std::string explain(const Json& missing) const {
    const auto versions = strings_at(missing, "versions");
    const std::string asked = text_at(missing, "specification");
    if (versions.empty()) {
      return fmt::format("{} cannot be had: there is no such package in {}", asked, fmt::join(channels_, ", "));
    }
    return fmt::format("{} cannot be had: there are {}{}", asked, shown_versions(versions),
                       order_.lock.empty() ? std::string(kTwoWaysOut) : "; it is in the lock of an earlier run");
  }

  // Replaces the package by its nearest version. False if there is none.
  bool move_pin(const Json& missing) {
    const std::string name = text_at(missing, "name");
    const auto line = std::find_if(packages_.begin(), packages_.end(),
                                   [&](const std::string& one) { return package_name(one) == name; });
    if (line == packages_.end()) return false;
    std::string digits = line->substr(std::min(line->find_first_of(" =<>!~["), line->size()));
    digits.erase(0, digits.find_first_of("0123456789"));
    std::vector<Version> available;
    for (const auto& text : strings_at(missing, "versions")) {
      if (auto version = parse_version(text)) available.push_back(std::move(*version));
    }
    const auto nearest = nearest_version(parse_version(digits).value_or(Version{"", {1 << 20}, true}), available);
    if (!nearest) return false;
    const std::string instead = fmt::format("{}=={}", name, nearest->text);
    built_.changes.push_back(fmt::format("{} -> {}", *line, instead));
    log_(fmt::format("pins: nearest: {} cannot be had; {} is used instead", *line, instead));
    *line = instead;
    return true;
  }

  Status install_with_pip() {
    ROOST_TRY(const auto tool, PackageTool::open(order_, built_.python, built_.python, pip_, order_.folder + ".work", log_));
    const auto& requirements = tool->sources().requirements;
    if (!order_.lock.empty()) {
      std::string unbuilt;
      return tool->install({requirements, {}, {}}, unbuilt);
    }
    // What conda brought stays as it is.
    const std::string stubs = tool->folder() / "conda";
    ROOST_TRY(const NodePackages there, describe_node_packages(built_.python, stubs, tool->sources().hidden));
    tool->more = {"--find-links", stubs};
    for (const auto& [name, version] : there) {
      const bool asked = std::any_of(requirements.begin(), requirements.end(), [&](const std::string& line) { return parse_requirement(line).name == name; });
      if (!asked) tool->constraints.push_back(name + "==" + version);
    }
    ROOST_TRY(const auto filled, tool->fill(requirements, order_.plan.pins, there));
    for (const auto& one : installed_distributions(prefix_)) {
      for (const auto& line : requirements) {
        const Requirement asked = parse_requirement(line);
        const auto version = parse_version(one.version);
        if (asked.name != one.name || asked.is_url || !version || satisfies(*version, asked.condition)) continue;
        built_.changes.push_back(fmt::format("{} -> {}=={}", line, one.name, one.version));
        log_("pins: nearest: " + built_.changes.back());
      }
    }
    return {};
  }

  void lock() {
    // conda-meta holds a file a package: name-version-build.json.
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(prefix_ + "/conda-meta", error)) {
      if (entry.path().extension() != ".json") continue;
      const auto text = read_file(entry.path());
      const auto meta = text ? stored_json(*text) : Json();
      if (!meta.is_object()) continue;
      built_.lock.push_back(fmt::format("{}={}={}", text_at(meta, "name"), text_at(meta, "version"),
                                        text_at(meta, "build", text_at(meta, "build_string"))));
    }
    for (const auto& one : installed_distributions(prefix_)) {
      if (one.installer == "pip" || one.installer == "uv") built_.lock.push_back(one.name + "==" + one.version);
    }
    std::sort(built_.lock.begin(), built_.lock.end());
    for (const auto& line : built_.lock) log_(line);
  }

  const BuildOrder& order_;
  const CondaTool& tool_;
  const BuildLog& log_;
  const std::string file_;  // what the tool is asked for
  const std::string prefix_;  // where it installs; conda and its like want to make that folder themselves
  std::vector<std::string> channels_;
  std::vector<std::string> packages_;  // conda's
  std::vector<std::string> pip_;
  BuiltEnvironment built_;
};

}  // namespace

Result<BuiltEnvironment> build_conda(const BuildOrder& order, const CondaTool& tool, const BuildLog& log) {
  return CondaBuild(order, tool, log).run();
}

}  // namespace roost
