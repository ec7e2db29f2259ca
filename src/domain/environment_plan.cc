#include "domain/environment_plan.h"

#include <cctype>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kMostPackages = 2000;
constexpr std::size_t kLongestLine = 2000;
constexpr std::size_t kLongestDockerfile = 256 * 1024;
constexpr std::string_view kMlflowLink = "azureml-mlflow";

Status check_line(std::string_view line, std::string_view what) {
  const bool control = line.find_first_of(std::string_view("\0\n\r", 3)) != std::string_view::npos;
  if (!line.empty() && line.size() <= kLongestLine && !control) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("the {} \"{}\" of the environment is empty, longer than {} bytes or has a line "
                          "break in it",
                          what, printable(line.substr(0, 100)), kLongestLine));
}

Result<std::vector<std::string>> lines_of(const Json& items, std::string_view what) {
  std::vector<std::string> lines;
  if (!items.is_array() || items.size() > kMostPackages) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the {}s of the environment must be a list of at most {}", what,
                            kMostPackages));
  }
  for (const auto& item : items) {
    if (!item.is_string()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("a {} of the environment is {}, not text", what, to_text(item)));
    }
    std::string line(trim(item.get_ref<const std::string&>()));
    ROOST_CHECK(check_line(line, what));
    lines.push_back(std::move(line));
  }
  return lines;
}

// "python=3.6.2" -> {"python", "=3.6.2"}; "conda-forge::numpy >=1" -> {"numpy", ">=1"}
std::pair<std::string, std::string> split_conda(std::string_view package) {
  if (const auto channel = package.find("::"); channel != std::string_view::npos) {
    package.remove_prefix(channel + 2);
  }
  const auto end = package.find_first_of(" =<>!~[");
  return {lower(package.substr(0, end)),
          end == std::string_view::npos ? "" : std::string(trim(package.substr(end)))};
}

// These the SDK inside every run provides; installing them would only bring conflicts.
bool is_provided(std::string_view name) { return name == "azureml" || name.starts_with("azureml-"); }

bool is_azure_base(std::string_view image) {
  const auto host = image.find('/');
  return image.starts_with("azureml/") ||
         (host != std::string_view::npos && image.substr(host).starts_with("/azureml/"));
}

Status add_pip(EnvironmentPlan& plan, const Json& items) {
  ROOST_TRY(const auto lines, lines_of(items, "pip package"));
  for (const auto& line : lines) {
    if (line.starts_with('#')) continue;
    for (const std::string_view option : {"-r", "--requirement", "-c", "--constraint", "-e", "--editable"}) {
      if (line == option || line.starts_with(std::string(option) + " ") ||
          (option.size() > 2 && line.starts_with(std::string(option) + "="))) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("\"{}\" in the environment names a file that only you have; write its "
                                "requirements into the list",
                                printable(line)));
      }
    }
    const std::string name = requirement_name(line);
    plan.adds_mlflow = plan.adds_mlflow || name == kMlflowLink;
    if (is_provided(name)) continue;
    plan.pip.push_back(line);
  }
  return {};
}

// Azure's link to MLflow requires it, and scripts rely on that.
void add_mlflow(EnvironmentPlan& plan) {
  const auto brings_it = [](const std::string& name) { return name == "mlflow" || name == "mlflow-skinny"; };
  for (const auto& line : plan.pip) {
    if (brings_it(requirement_name(line))) plan.adds_mlflow = false;
  }
  for (const auto& package : plan.conda) {
    if (brings_it(split_conda(package).first)) plan.adds_mlflow = false;
  }
  if (plan.adds_mlflow) plan.pip.emplace_back("mlflow");
}

Status add_conda(EnvironmentPlan& plan, const Json& dependencies) {
  if (!dependencies.is_array()) {
    return fail(ErrorCode::kInvalidArgument, "\"dependencies\" of the environment must be a list");
  }
  Json plain = Json::array();
  for (const auto& item : dependencies) {
    if (!item.is_object()) {
      plain.push_back(item);
      continue;
    }
    for (const auto& entry : item.items()) {
      if (entry.key() != "pip") {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("\"{}\" in the dependencies of the environment is not known; only pip has a "
                                "list of its own",
                                printable(entry.key())));
      }
      ROOST_CHECK(add_pip(plan, entry.value()));
    }
  }
  ROOST_TRY(const auto lines, lines_of(plain, "conda package"));
  for (const auto& line : lines) {
    auto [name, condition] = split_conda(line);
    if (name == "python") {
      if (condition.starts_with('=') && !condition.starts_with("==")) condition.erase(0, 1);
      plan.python = condition.substr(0, condition.find('='));
      if (condition.starts_with("==") || condition.find_first_of("<>!~") != std::string::npos) {
        plan.python = condition;
      }
    } else if (name != "pip" && !is_provided(name)) {
      plan.conda.push_back(line);
    }
    plan.adds_mlflow = plan.adds_mlflow || name == kMlflowLink;
  }
  add_mlflow(plan);
  return {};
}

Status add_docker(EnvironmentPlan& plan, const Json& docker) {
  if (!docker.is_object()) return {};
  const auto text = [&](const char* key) {
    const auto it = docker.find(key);
    return it != docker.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  plan.dockerfile = text("baseDockerfile");
  if (plan.dockerfile.size() > kLongestDockerfile) {
    return fail(ErrorCode::kTooLarge, "the Dockerfile of the environment is over 256 KiB");
  }
  const std::string image = text("baseImage");
  if (image.empty() || !plan.dockerfile.empty()) return {};
  ROOST_CHECK(check_line(image, "base image"));
  if (is_azure_base(image)) {
    // These hold CUDA and an empty conda; the packages are what the user chose.
    return {};
  }
  plan.base_image = image;
  return {};
}

}  // namespace

std::string_view pins_name(Pins pins) { return pins == Pins::kStrict ? "strict" : "nearest"; }

Result<Pins> parse_pins(std::string_view text) {
  if (text == "strict") return Pins::kStrict;
  if (text == "nearest") return Pins::kNearest;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"pins\" is \"{}\"; it must be strict or nearest", printable(text)));
}

bool EnvironmentPlan::needs_build() const {
  if (user_managed) return !base_image.empty() || !dockerfile.empty();
  return !pip.empty() || !conda.empty() || !python.empty() || !base_image.empty() || !dockerfile.empty();
}

std::string EnvironmentPlan::digest() const {
  Json form = {{"format", 1},          {"python", python},         {"channels", channels},
                     {"conda", conda},       {"pip", pip},               {"base_image", base_image},
                     {"dockerfile", dockerfile}, {"pins", pins_name(pins)}, {"user_managed", user_managed}};
  if (adds_mlflow) form["adds_mlflow"] = true;
  return sha256_hex(to_text(form));
}

Result<EnvironmentPlan> plan_environment(const Json& definition, Pins pins) {
  EnvironmentPlan plan;
  plan.pins = pins;
  if (!definition.is_object()) {
    return fail(ErrorCode::kInvalidArgument, "the definition of an environment must be an object");
  }
  ROOST_CHECK(add_docker(plan, member(definition, "docker")));
  const Json python = object_at(definition, "python");
  if (!python.is_object()) return plan;
  const auto managed = python.find("userManagedDependencies");
  if (managed != python.end() && *managed == true) {
    plan.user_managed = true;
    const auto path = python.find("interpreterPath");
    if (path != python.end() && path->is_string()) plan.interpreter = *path;
    return plan;
  }
  const Json conda = member(python, "condaDependencies");
  if (!conda.is_object()) return plan;
  // Left out or null is none; anything else that is no list is a mistake of whoever wrote it.
  const auto list = [&](const char* name) {
    Json given = member(conda, name);
    return given.is_null() ? Json::array() : given;
  };
  ROOST_CHECK(add_conda(plan, list("dependencies")));
  if (!plan.conda.empty()) {
    ROOST_TRY(plan.channels, lines_of(list("channels"), "channel"));
  }
  return plan;
}

std::string requirement_name(std::string_view requirement) {
  requirement = trim(requirement);
  std::size_t end = 0;
  while (end < requirement.size() &&
         (std::isalnum(static_cast<unsigned char>(requirement[end])) != 0 ||
          std::string_view("-_.").find(requirement[end]) != std::string_view::npos)) {
    ++end;
  }
  if (end == 0 || requirement.front() == '-' || requirement.front() == '.') return "";
  if (end < requirement.size() && (requirement[end] == ':' || requirement[end] == '/' || requirement[end] == '+')) {
    return "";  // a URL or a path
  }
  std::string name = lower(requirement.substr(0, end));
  for (char& c : name) {
    if (c == '_' || c == '.') c = '-';
  }
  return name;
}

std::string requirement_condition(std::string_view requirement) {
  requirement = trim(requirement.substr(0, requirement.find(';')));
  const auto start = requirement.find_first_of("=<>!~");
  return start == std::string_view::npos ? "" : std::string(trim(requirement.substr(start)));
}

}  // namespace roost
