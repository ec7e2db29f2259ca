#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "builders/build_order.h"
#include "builders/conda_builder.h"
#include "builders/disk_space.h"
#include "builders/explain.h"
#include "builders/image_builder.h"
#include "builders/pip_names.h"
#include "builders/program.h"
#include "builders/pythons.h"
#include "builders/requirement.h"
#include "builders/venv_builder.h"

namespace roost {
namespace {

Result<BuiltEnvironment> with_reason(Result<BuiltEnvironment> built, const std::string& reason,
                                     const std::vector<std::string>& changes) {
  if (!built) return built;
  built->reason = reason;
  built->changes.insert(built->changes.begin(), changes.begin(), changes.end());
  return built;
}

constexpr const char* kNoConda = "no conda is on this machine; install micromamba or py-rattler";

class Choice {
 public:
  Choice(BuildOrder order, const BuildLog& log)
      : order_(std::move(order)), log_(log), nearest_(order_.plan.pins == Pins::kNearest) {}

  Result<BuiltEnvironment> build() {
    EnvironmentPlan& plan = order_.plan;
    if (!plan.base_image.empty() || !plan.dockerfile.empty()) {
      const std::string reason = plan.base_image.empty() ? "the definition has a Dockerfile"
                                                         : "the definition names the base image " + plan.base_image;
      log_(fmt::format("Builder: image, because {}", reason));
      return with_reason(build_image(order_, log_), reason, {});
    }
    find_pythons();
    if (!plan.conda.empty() || (fitting_.empty() && !is_too_old(plan.python))) {
      if (const auto conda = find_conda(order_.settings, log_)) {
        auto built = build_with(*conda);
        if (built || built.error().code != ErrorCode::kUnavailable) return built;
        why_no_conda_ = built.error().message;
        log_(why_no_conda_ + "; doing without conda");
        ROOST_CHECK(remove_tree(order_.folder));
      }
    }
    take_from_pip();
    if (fitting_.empty()) ROOST_CHECK(take_nearest_python());
    return build_with_pythons();
  }

 private:
  // A Python that uv and pip of today cannot fill is not worth fetching where another will do.
  bool is_too_old(const std::string& python) const { return nearest_ && !all_.empty() && is_before_oldest(python); }

  // The default one mostly will do; asking all others for their versions takes time.
  void find_pythons() {
    const std::string& asked = order_.plan.python;
    const auto usual = default_interpreter(order_.settings);
    if (usual && satisfies(usual->version, asked)) {
      fitting_ = {*usual};
      return;
    }
    all_ = find_interpreters(order_.settings);
    if (const auto found = choose_interpreter(all_, asked)) {
      fitting_ = {*found};
    } else if (nearest_) {
      if (const auto same = same_minor(all_, asked)) take_instead(*same);
    }
  }

  void change(std::string text) {
    log_(text);
    changes_.push_back(std::move(text));
  }

  void take_instead(const Interpreter& one) {
    change(fmt::format("python={} -> {}", order_.plan.python, one.version.text));
    fitting_ = {one};
  }

  Result<BuiltEnvironment> build_with(const CondaTool& conda) {
    const EnvironmentPlan& plan = order_.plan;
    const std::string reason = plan.conda.empty()
                                   ? fmt::format("Python {} is not on this machine", plan.python)
                                   : fmt::format("conda is asked for {}", package_count(plan.conda.size()));
    log_(fmt::format("Builder: conda ({}), because {}", conda.words(), reason));
    return with_reason(build_conda(order_, conda, log_), reason, {});
  }

  // No conda: pip is asked for its packages, under pip's names.
  void take_from_pip() {
    EnvironmentPlan& plan = order_.plan;
    for (const auto& package : plan.conda) {
      const PipName name = pip_name_of(package);
      if (name.requirement.empty()) {
        change(fmt::format("{} by conda was left out: {}", package, name.why_not));
        continue;
      }
      const std::string plain = parse_requirement(name.requirement).name;
      const bool twice = std::any_of(plan.pip.begin(), plan.pip.end(), [&](const std::string& line) {
        return parse_requirement(line).name == plain;
      });
      if (!twice || name.requirement != plain) plan.pip.push_back(name.requirement);
      change(fmt::format("{} by conda -> {} by pip", package, name.requirement));
    }
    conda_text_ = fmt::format("{}", fmt::join(plan.conda, ", "));
    plan.conda.clear();
  }

  Status take_nearest_python() {
    const std::string& asked = order_.plan.python;
    if (!nearest_ || all_.empty()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("python={} cannot be had: this machine has {}, and {}{}", asked, versions_text(all_),
                              why_no_conda_.empty() ? "no conda to fetch another" : why_no_conda_, kTwoWaysOut));
    }
    fitting_ = nearest_interpreters(all_, asked);
    return {};
  }

  // Of several the first that what is asked for can be had for.
  Result<BuiltEnvironment> build_with_pythons() {
    const std::string asked = order_.plan.python;
    Result<BuiltEnvironment> built = fail(ErrorCode::kFailedPrecondition, "no Python that Roost works with is on this machine");
    for (std::size_t i = 0; i < fitting_.size(); ++i) {
      const Interpreter& python = fitting_[i];
      std::vector<std::string> changes = changes_;
      if (!satisfies(python.version, asked) && (fitting_.size() > 1 || changes.empty() || !changes[0].starts_with("python="))) {
        changes.insert(changes.begin(), fmt::format("python={} -> {}", asked, python.version.text));
        log_(changes.front());
      }
      const std::string reason = asked.empty() ? "all packages come from pip"
                                               : fmt::format("all packages come from pip, and Python {} is here", python.version.text);
      log_(fmt::format("Builder: venv, because {}", reason));
      built = with_reason(build_venv(order_, python, log_), reason, changes);
      if (built) return built;
      if (i + 1 == fitting_.size()) break;
      const Error& error = built.error();
      // Known now: the next one need not wait for it again.
      if (error.code == ErrorCode::kUnavailable) order_.settings.offline = true;
      log_(fmt::format("{}; trying Python {}", error.message, fitting_[i + 1].version.text));
      ROOST_CHECK(remove_tree(order_.folder));
    }
    if (!conda_text_.empty()) {
      return fail(built.error().code, fmt::format("{} (asked of pip in place of conda, which was to bring {}: {})",
                                                  built.error().message, conda_text_,
                                                   why_no_conda_.empty() ? kNoConda : why_no_conda_));
    }
    return built;
  }

  BuildOrder order_;
  const BuildLog& log_;
  const bool nearest_;
  std::vector<Interpreter> all_;
  std::vector<Interpreter> fitting_;
  std::vector<std::string> changes_;
  std::string conda_text_;
  std::string why_no_conda_;  // it was tried
};

constexpr const char* kWithoutMlflow =
    "azureml-mlflow brings mlflow, which cannot be had here; the environment is without it";

// Many definitions name azureml-mlflow and never import mlflow: they must not fail for it.
bool lacks_only_mlflow(const BuildOrder& order, const Error& error) {
  return order.plan.adds_mlflow && order.lock.empty() && error.message.find("mlflow") != std::string::npos;
}

}  // namespace

Result<BuiltEnvironment> build_environment(const BuildOrder& order, const BuildLog& log) {
  bool no_space = false;
  const BuildLog watched = [&](std::string_view line) {
    no_space = no_space || says_no_space(line);
    log(line);
  };
  auto built = Choice(order, watched).build();
  if (!built && !no_space && lacks_only_mlflow(order, built.error())) {
    watched(kWithoutMlflow);
    ROOST_CHECK(remove_tree(order.folder));
    BuildOrder less = order;
    less.plan.pip.pop_back();
    built = Choice(less, watched).build();
    if (built) built->notes.emplace_back(kWithoutMlflow);
  }
  if (built || !(no_space || says_no_space(built.error().message))) return built;
  // What is there of it goes first: the reason needs some space too.
  ROOST_CHECK(remove_tree(order.folder));
  return fail(ErrorCode::kResourceExhausted,
              no_space_message(std::filesystem::path(order.folder).parent_path().string()));
}

}  // namespace roost
