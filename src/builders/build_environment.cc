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
#include "builders/program.h"
#include "builders/pythons.h"
#include "builders/venv_builder.h"

namespace roost {
namespace {

// A conda package as pip knows it: "scikit-learn=0.22" -> "scikit-learn==0.22.*".
std::string as_requirement(std::string_view package) {
  if (const auto channel = package.find("::"); channel != std::string_view::npos) {
    package.remove_prefix(channel + 2);
  }
  const auto end = package.find_first_of(" =<>!~");
  std::string name(package.substr(0, end));
  if (name == "pytorch") name = "torch";
  if (end == std::string_view::npos) return name;
  std::string condition(trim(package.substr(end)));
  if (condition.starts_with('=') && !condition.starts_with("==")) {
    condition.erase(0, 1);
    const std::string version = condition.substr(0, condition.find('='));  // without the build
    return name + "==" + version + (version.ends_with('*') ? "" : ".*");
  }
  return name + condition;
}

Result<BuiltEnvironment> with_reason(Result<BuiltEnvironment> built, const std::string& reason,
                                     const std::vector<std::string>& changes) {
  if (!built) return built;
  built->reason = reason;
  built->changes.insert(built->changes.begin(), changes.begin(), changes.end());
  return built;
}

Result<BuiltEnvironment> build_by_kind(BuildOrder order, const BuildLog& log) {
  EnvironmentPlan& plan = order.plan;
  if (!plan.base_image.empty() || !plan.dockerfile.empty()) {
    const std::string reason = plan.base_image.empty() ? "the definition has a Dockerfile"
                                                       : "the definition names the base image " + plan.base_image;
    log(fmt::format("Builder: image, because {}", reason));
    return with_reason(build_image(order, log), reason, {});
  }
  const bool nearest = plan.pins == Pins::kNearest;
  // The default one mostly will do; asking all others for their versions takes time.
  auto interpreter = default_interpreter(order.settings);
  std::vector<Interpreter> interpreters;
  if (!interpreter || !satisfies(interpreter->version, plan.python)) {
    interpreters = find_interpreters(order.settings);
    interpreter = choose_interpreter(interpreters, plan.python);
  }
  const auto conda = !plan.conda.empty() || !interpreter ? find_conda(order.settings) : std::nullopt;
  if (conda) {
    const std::string reason = plan.conda.empty()
                                   ? fmt::format("Python {} is not on this machine", plan.python)
                                   : fmt::format("conda is asked for {}", package_count(plan.conda.size()));
    log(fmt::format("Builder: conda ({}), because {}", conda->words(), reason));
    return with_reason(build_conda(order, *conda, log), reason, {});
  }
  std::vector<std::string> changes;
  const auto change = [&](std::string text) {
    log("pins: nearest: " + text);
    changes.push_back(std::move(text));
  };
  if (!plan.conda.empty()) {
    if (!nearest) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{} comes from conda, and no conda is on this machine; install micromamba or "
                              "py-rattler, list the package under pip, or submit with pins: nearest, which asks pip for it",
                              plan.conda.front()));
    }
    for (const auto& package : plan.conda) {
      plan.pip.push_back(as_requirement(package));
      change(fmt::format("{} by conda -> {} by pip", package, plan.pip.back()));
    }
    plan.conda.clear();
  }
  if (!interpreter) {
    if (!nearest || interpreters.empty()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("python={} cannot be had: this machine has {}, and no conda to fetch another{}",
                              plan.python, versions_text(interpreters), kTwoWaysOut));
    }
    std::string digits = plan.python;
    digits.erase(0, digits.find_first_of("0123456789"));
    std::vector<Version> versions;
    for (const auto& one : interpreters) {
      if (one.version.release[0] == 3) versions.push_back(one.version);
    }
    const auto best = nearest_version(parse_version(digits).value_or(versions.front()), versions);
    interpreter = *std::find_if(interpreters.begin(), interpreters.end(), [&](const Interpreter& one) {
      return best && one.version.text == best->text;
    });
    // Packages that the machine has for its default interpreter are worth more than a nearer Python.
    if (!order.settings.python.empty()) interpreter = interpreters.front();
    change(fmt::format("python={} -> {}", plan.python, interpreter->version.text));
  }
  const std::string reason = plan.python.empty()
                                 ? "all packages come from pip"
                                 : fmt::format("all packages come from pip, and Python {} is here",
                                               interpreter->version.text);
  log(fmt::format("Builder: venv, because {}", reason));
  return with_reason(build_venv(order, *interpreter, log), reason, changes);
}

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
  auto built = build_by_kind(order, watched);
  if (!built && !no_space && lacks_only_mlflow(order, built.error())) {
    watched(kWithoutMlflow);
    ROOST_CHECK(remove_tree(order.folder));
    BuildOrder less = order;
    less.plan.pip.pop_back();
    built = build_by_kind(less, watched);
    if (built) built->notes.emplace_back(kWithoutMlflow);
  }
  if (built || !(no_space || says_no_space(built.error().message))) return built;
  // What is there of it goes first: the reason needs some space too.
  ROOST_CHECK(remove_tree(order.folder));
  return fail(ErrorCode::kResourceExhausted,
              no_space_message(std::filesystem::path(order.folder).parent_path().string()));
}

}  // namespace roost
