#include "builders/venv_builder.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "builders/build_confine.h"
#include "builders/distributions.h"
#include "builders/explain.h"
#include "builders/gpu.h"
#include "builders/node_packages.h"
#include "builders/package_tool.h"
#include "builders/pip_install.h"
#include "builders/program.h"
#include "builders/requirement.h"
#include "builders/uv_tool.h"

namespace roost {
namespace {

// The last PyTorch whose builds for GPUs bring NVIDIA's libraries themselves, and so work without a GPU.
constexpr const char* kBeforeSplitTorch = "torch<1.13";

bool has_local_part(const std::vector<std::string>& lock, const std::string& name) {
  return std::any_of(lock.begin(), lock.end(), [&](const std::string& line) {
    return parse_requirement(line).name == name && line.find('+') != std::string::npos;
  });
}

class VenvBuild {
 public:
  VenvBuild(const BuildOrder& order, const Interpreter& base, const BuildLog& log)
      : order_(order), base_(base), log_(log), python_(order.folder + "/bin/python"),
        nearest_(order.plan.pins == Pins::kNearest) {}

  Result<BuiltEnvironment> run() {
    built_.builder = "venv";
    built_.python = python_;
    const auto& lines = order_.lock.empty() ? order_.plan.pip : order_.lock;
    const bool anything = !lines.empty();
    log_(fmt::format("Step 1/{}: a virtual environment of Python {} ({})", anything ? 3 : 2,
                     base_.version.text, base_.path));
    ROOST_CHECK(make());
    if (anything) {
      // A lock has no options; those of the list say where its packages come from.
      std::vector<std::string> options;
      for (const auto& line : order_.plan.pip) {
        if (line.starts_with('-') && !order_.lock.empty()) options.push_back(line);
      }
      options.insert(options.end(), lines.begin(), lines.end());
      ROOST_TRY(tool_, PackageTool::open(order_, base_.path, python_, options, order_.folder + ".work", log_));
      tool_->pristine = true;
      tool_->start_over = [this] { return make_again(); };
      requirements_ = tool_->sources().requirements;
      log_(fmt::format("Step 2/3: {}, installed by {}", package_count(requirements_.size()), tool_->is_uv() ? "uv" : "pip"));
      const Status filled = order_.lock.empty() ? fill() : fill_locked();
      tool_.reset();
      ROOST_CHECK(filled);
    }
    log_(fmt::format("Step {0}/{0}: the exact versions", anything ? 3 : 2));
    lock();
    if (order_.lock.empty()) note_changes();
    return built_;
  }

 private:
  Status make() {
    ROOST_CHECK(make_folders(order_.folder));  // there before anything is shown of the folder it is in
    ProgramRun run;
    run.words = {base_.path, "-m", "venv", "--without-pip", order_.folder};
    run.variables = pip_variables();
    std::string last;
    ROOST_TRY(run.hidden, hidden_from_build(order_));
    run.on_line = [&](std::string_view line) {
      log_(line);
      last = line;
    };
    ROOST_TRY(const int code, run_to_end(run));
    if (code == 0) return {};
    return fail(ErrorCode::kInternal,
                fmt::format("{} cannot make a virtual environment: {} (on Debian: apt-get install "
                            "python3-venv)",
                            base_.path, trim(last)));
  }

  // What an earlier try left goes.
  Status make_again() {
    ROOST_CHECK(remove_tree(order_.folder));
    ROOST_CHECK(make());
    tool_->pristine = true;
    return {};
  }

  // Whether the environment also sees the packages of the interpreter.
  Status see_node(bool sees) {
    const std::string file = order_.folder + "/pyvenv.cfg";
    ROOST_TRY(std::string text, read_file(file));
    const std::string key = "include-system-site-packages = ";
    const auto at = text.find(key);
    if (at == std::string::npos) return fail(ErrorCode::kInternal, file + " has no include-system-site-packages");
    text.replace(at, text.find('\n', at) - at, key + (sees ? "true" : "false"));
    return write_file_atomic(file, text);
  }

  Status fill() {
    choose_build_of_torch();
    // Without an index the packages of the machine are half of what there is.
    if (nearest_ && !tool_->sources().has_index) return fill_with_node();
    const Status filled = fill_from_sources();
    if (filled || !nearest_) return filled;
    log_(fmt::format("{}; looking at what Python {} itself has", filled.error().message, base_.version.text));
    if (filled.error().code == ErrorCode::kUnavailable) tool_->more.emplace_back("--no-index");
    ROOST_CHECK(make_again());
    if (fill_with_node()) return {};
    if (filled.error().code == ErrorCode::kUnavailable) return fail(ErrorCode::kUnavailable, unreachable());
    return filled;
  }

  std::string unreachable() const {
    return fmt::format("{} cannot be had: the package index does not answer from this machine",
                       requirements_.empty() ? "a package" : requirements_.front());
  }

  // CPU builds where there is no GPU: those of the sources, else those of PyTorch's own index if it answers.
  void choose_build_of_torch() {
    const auto asked = [&](std::string_view start) {
      return std::any_of(requirements_.begin(), requirements_.end(), [&](const std::string& line) {
        return parse_requirement(line).name.starts_with(start);
      });
    };
    if (wants_gpu(order_.settings) || asked("nvidia-")) return;
    tool_->constraints = no_cuda_constraints();
    tool_->excluded = no_cuda_excludes();
    const PackageSources& sources = tool_->sources();
    if (!asked("torch") || !tool_->is_uv() || !sources.has_index || sources.own_index) return;
    if (failed_lately(order_.settings, "torch-cpu")) return;
    Question question;
    question.requirements = {"torch"};
    question.dependencies = false;
    question.wheels_only = question.quick = true;
    tool_->torch_cpu_index = true;
    const auto answer = tool_->resolver()->ask(question);
    if (answer && answer->found) return;
    tool_->torch_cpu_index = false;
    if (answer && answer->unreachable) {
      note_failed(order_.settings, "torch-cpu", answer->problem);
      log_("PyTorch's own index of builds for CPUs does not answer; looking for one elsewhere");
    }
  }

  Status fill_from_sources() {
    ROOST_CHECK(settle_and_install({}));
    auto wrong = import_error();
    if (wrong.empty()) return {};
    log_(fmt::format("{}; trying a pair from before PyTorch was split", wrong));
    ROOST_CHECK(make_again());
    tool_->constraints.emplace_back(kBeforeSplitTorch);
    const Status older = settle_and_install({});
    tool_->constraints.pop_back();
    if (older && import_error().empty()) return {};
    mixed_torch_ = true;
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("builds of PyTorch for CPUs that fit each other cannot be had ({}), and this machine has no "
                            "GPU for the others{}",
                            wrong, kCpuWaysOut));
  }

  // With what the interpreter has itself, as far as all else fits it.
  Status fill_with_node() {
    ROOST_CHECK(see_node(true));
    const std::string stubs = tool_->folder() / "node";
    ROOST_TRY(const NodePackages node, describe_node_packages(python_, stubs, tool_->sources().hidden));
    tool_->more.insert(tool_->more.end(), {"--find-links", stubs});
    if (mixed_torch_) {
      if (!node.contains("torch")) return fail(ErrorCode::kFailedPrecondition, "this Python has no PyTorch of its own");
      for (const auto& name : torch_names()) {
        if (const auto own = node.find(name); own != node.end()) tool_->constraints.push_back(name + "==" + own->second);
      }
    }
    const Status filled = settle_and_install(node);
    tool_->more.resize(tool_->more.size() - 2);
    ROOST_CHECK(filled);
    return see_node(!node_.empty());
  }

  Status settle_and_install(const NodePackages& node) {
    auto filled = tool_->fill(requirements_, order_.plan.pins, node);
    if (!filled) return fail(explain(filled.error()));
    urls_ = std::move(filled->urls);
    node_ = std::move(filled->kept);
    return {};
  }

  Error explain(const Error& error) const {
    if (error.code == ErrorCode::kUnavailable && !nearest_) return Error{error.code, unreachable()};
    const bool cuda = error.message.find("nvidia-cu") != std::string::npos || error.message.find("cuda-toolkit") != std::string::npos;
    if (!cuda || tool_->constraints.empty()) return error;
    return Error{error.code, fmt::format("only builds for GPUs can be had, gigabytes of them, and this machine has no GPU{}: {}",
                                         kCpuWaysOut, error.message)};
  }

  // Builds for CPUs and for GPUs do not go together, which nothing but the import tells.
  std::string import_error() const {
    const auto lines = installed_lines();
    const auto modules = torch_modules(lines);
    if (modules.size() < 2 || tool_->constraints.empty()) return "";
    const bool mixed = std::any_of(modules.begin(), modules.end(), [&](const std::string& name) {
      return has_local_part(lines, name) != has_local_part(lines, "torch");
    });
    if (!mixed) return "";
    std::string code;
    for (const auto& name : modules) code += "import " + name + "\n";
    const auto text = output_of({python_, "-c", code}, tool_->sources().hidden);
    if (text) return "";
    const auto words = split(std::string(trim(text.error().message)), '\n');
    return fmt::format("{} cannot be imported together: {}", fmt::join(lines_of(lines, modules), ", "), trim(words.back()));
  }

  static std::vector<std::string> lines_of(const std::vector<std::string>& lines, const std::vector<std::string>& names) {
    std::vector<std::string> found;
    for (const auto& line : lines) {
      if (std::find(names.begin(), names.end(), parse_requirement(line).name) != names.end()) found.push_back(line);
    }
    return found;
  }

  std::vector<std::string> installed_lines() const {
    std::vector<std::string> lines;
    for (const auto& one : installed_distributions(order_.folder)) lines.push_back(one.name + "==" + one.version);
    return lines;
  }

  // A lock of a build that used packages of the machine has those too.
  Status fill_locked() {
    Settled settled;
    settled.lock = requirements_;
    choose_build_of_torch();
    std::string unbuilt;
    if (nearest_) {
      ROOST_CHECK(see_node(true));
      ROOST_TRY(const NodePackages node, describe_node_packages(python_, tool_->folder() / "node", tool_->sources().hidden));
      std::vector<std::string> rest;
      for (const auto& line : requirements_) {
        const Requirement one = parse_requirement(line);
        const auto own = node.find(one.name);
        if (own != node.end() && one.condition == "==" + own->second) {
          node_[one.name] = own->second;
        } else {
          rest.push_back(line);
        }
      }
      ROOST_CHECK(see_node(!node_.empty()));
      settled.lock = std::move(rest);
    }
    for (const auto& line : settled.lock) {
      if (const Requirement one = parse_requirement(line); one.is_url) urls_[one.name] = line;
    }
    const Status installed = tool_->install(settled, unbuilt);
    if (installed) return {};
    return fail(installed.error().code, installed.error().message + "; it is in the lock of an earlier run");
  }

  void lock() {
    for (const auto& one : installed_distributions(order_.folder)) {
      const auto url = urls_.find(one.name);
      versions_[one.name] = one.version;
      built_.lock.push_back(url == urls_.end() ? one.name + "==" + one.version : url->second);
    }
    for (const auto& [name, version] : node_) {
      if (versions_.emplace(name, version).second) built_.lock.push_back(name + "==" + version);
    }
    std::sort(built_.lock.begin(), built_.lock.end());
    for (const auto& line : built_.lock) log_(line);
  }

  // From what is there now, not from what was tried on the way.
  void note_changes() {
    for (const auto& line : requirements_) {
      const Requirement asked = parse_requirement(line);
      const auto has = versions_.find(asked.name);
      if (asked.is_url || has == versions_.end()) continue;
      const auto version = parse_version(has->second);
      if (!version || satisfies(*version, asked.condition)) continue;
      const bool of_node = node_.contains(asked.name);
      const std::string to = of_node ? fmt::format("{} {} of the node", asked.name, has->second)
                                     : fmt::format("{}=={}", asked.name, has->second);
      built_.changes.push_back(fmt::format("{} -> {}", line, to));
      log_(fmt::format("pins: nearest: {} cannot be had; {} is used instead", line, to));
    }
  }

  const BuildOrder& order_;
  const Interpreter& base_;
  const BuildLog& log_;
  const std::string python_;
  const bool nearest_;
  std::unique_ptr<PackageTool> tool_;
  std::vector<std::string> requirements_;
  std::map<std::string, std::string> urls_;      // by name, the lines of those that come from a URL
  bool mixed_torch_ = false;                     // what the sources have of it does not go together
  NodePackages node_;                            // those of the interpreter that are used
  std::map<std::string, std::string> versions_;  // what is there in the end
  BuiltEnvironment built_;
};

}  // namespace

Result<BuiltEnvironment> build_venv(const BuildOrder& order, const Interpreter& base, const BuildLog& log) {
  return VenvBuild(order, base, log).run();
}

}  // namespace roost
