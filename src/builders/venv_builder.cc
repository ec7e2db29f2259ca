#include "builders/venv_builder.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "builders/build_confine.h"
#include "builders/distributions.h"
#include "builders/explain.h"
#include "builders/pip_install.h"
#include "builders/pip_output.h"
#include "builders/program.h"

namespace roost {
namespace {

constexpr int kMostTries = 40;  // each moves one pin

// Prints "name==version" of the distributions named as arguments, wherever the interpreter finds them.
constexpr const char* kFindVersions = R"(
import importlib.metadata as metadata, sys
for name in sys.argv[1:]:
    try:
        print(name + "==" + metadata.version(name))
    except metadata.PackageNotFoundError:
        pass
)";

class VenvBuild {
 public:
  VenvBuild(const BuildOrder& order, const Interpreter& base, const BuildLog& log)
      : order_(order), base_(base), log_(log), python_(order.folder + "/bin/python"),
        sees_node_(order.plan.pins == Pins::kNearest),
        nearest_(sees_node_ && order.lock.empty()) {
    requirements_ = order.lock.empty() ? order.plan.pip : order.lock;
  }

  Result<BuiltEnvironment> run() {
    const bool use_uv = !nearest_ && !find_program("uv").empty();
    built_.builder = "venv";
    built_.python = python_;
    const bool anything = !requirements_.empty();
    const auto packages = std::count_if(requirements_.begin(), requirements_.end(),
                                        [](const std::string& line) { return !line.starts_with('-'); });
    log_(fmt::format("Step 1/{}: a virtual environment of Python {} ({})", anything ? 3 : 2,
                     base_.version.text, base_.path));
    ROOST_CHECK(make());
    if (anything) {
      log_(fmt::format("Step 2/3: {}, installed by {}", package_count(static_cast<std::size_t>(packages)), use_uv ? "uv" : "pip"));
      ROOST_CHECK(use_uv ? install_with_uv() : install_with_pip());
    }
    log_(fmt::format("Step {0}/{0}: the exact versions", anything ? 3 : 2));
    ROOST_CHECK(lock());
    return built_;
  }

 private:
  Result<int> program(std::vector<std::string> words, const std::function<void(std::string_view)>& also = {}) {
    ProgramRun run;
    run.words = std::move(words);
    run.variables = pip_variables();
    ROOST_TRY(run.hidden, hidden_from_build(order_));
    run.on_line = [&](std::string_view line) {
      log_(line);
      if (also) also(line);
    };
    return run_to_end(run);
  }

  Status make() {
    ROOST_CHECK(make_folders(order_.folder));  // there before anything is shown of the folder it is in
    std::vector<std::string> words = {base_.path, "-m", "venv", "--without-pip"};
    if (sees_node_) words.emplace_back("--system-site-packages");
    words.push_back(order_.folder);
    std::string last;
    ROOST_TRY(const int code, program(words, [&](std::string_view line) { last = line; }));
    if (code == 0) return {};
    return fail(ErrorCode::kInternal,
                fmt::format("{} cannot make a virtual environment: {} (on Debian: apt-get install "
                            "python3-venv)",
                            base_.path, trim(last)));
  }

  Status install_with_pip() {
    ROOST_TRY(const auto pip, find_pip(order_, base_.path, python_, log_));
    for (int tries = 0; tries < kMostTries; ++tries) {
      std::vector<std::string> words = pip;
      words.insert(words.end(), {"install", "--no-cache-dir", "--retries", "2", "--timeout", "15"});
      if (!order_.lock.empty()) words.emplace_back("--no-deps");
      for (const auto& name : only_binary_) words.insert(words.end(), {"--only-binary", name});
      const auto from = pip_sources(order_.settings);
      words.insert(words.end(), from.begin(), from.end());
      const auto wanted = requirement_words(requirements_);
      words.insert(words.end(), wanted.begin(), wanted.end());
      if (wanted.empty()) return {};
      PipOutput output;
      ROOST_TRY(const int code, program(words, [&](std::string_view line) { output.add(line); }));
      if (code == 0) return {};
      const std::string unbuilt = requirement_name(output.failed_source());
      if (nearest_ && !unbuilt.empty() && only_binary_.insert(unbuilt).second) {
        log_(fmt::format("pins: nearest: {}; looking for the nearest version with a wheel", output.problem()));
        continue;
      }
      if (!nearest_ || !output.no_version() || !move_pin(*output.no_version())) {
        return fail(ErrorCode::kFailedPrecondition, explain(output));
      }
    }
    return fail(ErrorCode::kFailedPrecondition, "too many packages cannot be had as they are pinned");
  }

  Status install_with_uv() {
    std::vector<std::string> words = {"uv", "pip", "install", "--python", python_, "--no-progress"};
    if (!order_.lock.empty()) words.emplace_back("--no-deps");
    const auto from = pip_sources(order_.settings);
    words.insert(words.end(), from.begin(), from.end());
    const auto wanted = requirement_words(requirements_);
    words.insert(words.end(), wanted.begin(), wanted.end());
    std::string problem;
    ROOST_TRY(const int code, program(words, [&](std::string_view line) {
      line = trim(line);
      if (problem.size() < 600 && !line.empty() && !line.starts_with("Using Python")) {
        problem += (problem.empty() ? "" : " ") + std::string(line);
      }
    }));
    if (code == 0) return {};
    return fail(ErrorCode::kFailedPrecondition, problem);
  }

  std::string explain(const PipOutput& output) const {
    std::string text = output.problem();
    const bool other = output.no_version() && !output.no_version()->versions.empty();
    if (!nearest_ && (other || !output.failed_source().empty())) {
      text += kTwoWaysOut;
    }
    return text;
  }

  // What the interpreter itself has of a package.
  std::optional<Version> installed(const std::string& name) const {
    auto hidden = hidden_from_build(order_);
    if (!hidden) return std::nullopt;
    const auto text = output_of({base_.path, "-c",
                                 "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))", name},
                                std::move(*hidden));
    if (!text) return std::nullopt;
    return parse_version(*text);
  }

  // Replaces the requirement by the nearest version there is. What the interpreter has already is
  // taken if nothing is nearer by more than a bug-fix release. False if there is none at all.
  bool move_pin(const PipOutput::NoVersion& missing) {
    const std::string name = requirement_name(missing.requirement);
    const auto line = std::find_if(requirements_.begin(), requirements_.end(), [&](const std::string& one) {
      return requirement_name(one) == name;
    });
    if (name.empty() || line == requirements_.end()) return false;
    std::string condition = requirement_condition(*line);
    condition.erase(0, condition.find_first_of("0123456789"));
    const auto wanted = parse_version(condition).value_or(Version{"", {1 << 20}, true});
    std::vector<Version> available;
    for (const auto& text : missing.versions) {
      if (auto version = parse_version(text)) available.push_back(std::move(*version));
    }
    auto nearest = nearest_version(wanted, available);
    const auto own = installed(name);
    const auto line_of = [](const Version& v) {
      return std::pair(v.release.empty() ? 0 : v.release[0], v.release.size() > 1 ? v.release[1] : 0);
    };
    if (own && (!nearest || line_of(*nearest) == line_of(*own) ||
                nearest_version(wanted, {*nearest, *own})->text == own->text)) {
      note_change(*line, fmt::format("{} {} of the node", name, own->text));
      requirements_.erase(line);
      return true;
    }
    if (!nearest) return false;
    note_change(*line, fmt::format("{}=={}", name, nearest->text));
    *line = fmt::format("{}=={}", name, nearest->text);
    return true;
  }

  void note_change(const std::string& from, const std::string& to) {
    built_.changes.push_back(fmt::format("{} -> {}", from, to));
    log_(fmt::format("pins: nearest: {} cannot be had; {} is used instead", from, to));
  }

  Status lock() {
    std::set<std::string> found;
    for (const auto& one : installed_distributions(order_.folder)) {
      found.insert(one.name);
      built_.lock.push_back(one.name + "==" + one.version);
    }
    if (sees_node_) ROOST_CHECK(lock_of_node(found));
    std::sort(built_.lock.begin(), built_.lock.end());
    for (const auto& line : built_.lock) log_(line);
    return {};
  }

  // What was asked for and is the interpreter's own.
  Status lock_of_node(const std::set<std::string>& found) {
    std::vector<std::string> words = {python_, "-c", kFindVersions};
    for (const auto& line : order_.plan.pip) {
      const std::string name = requirement_name(line);
      if (!name.empty() && !found.contains(name)) words.push_back(name);
    }
    if (words.size() == 3) return {};
    ROOST_TRY(auto hidden, hidden_from_build(order_));
    ROOST_TRY(const std::string text, output_of(words, std::move(hidden)));
    for (const auto& line : split(text, '\n')) {
      if (!trim(line).empty()) built_.lock.emplace_back(trim(line));
    }
    return {};
  }

  const BuildOrder& order_;
  const Interpreter& base_;
  const BuildLog& log_;
  const std::string python_;
  const bool sees_node_;  // the packages of the interpreter count, as a lock of such a build needs
  const bool nearest_;
  std::vector<std::string> requirements_;
  std::set<std::string> only_binary_;  // their sources cannot be built here
  BuiltEnvironment built_;
};

}  // namespace

Result<BuiltEnvironment> build_venv(const BuildOrder& order, const Interpreter& base, const BuildLog& log) {
  return VenvBuild(order, base, log).run();
}

}  // namespace roost
