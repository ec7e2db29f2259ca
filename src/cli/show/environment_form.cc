#include "cli/show/environment_form.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "cli/show/run_text.h"

namespace roost {
namespace {

std::string_view without_channel(std::string_view package) {
  const auto channel = package.find("::");
  return trim(channel == std::string_view::npos ? package : package.substr(channel + 2));
}

std::vector<std::string> texts(const Json& items) {
  std::vector<std::string> out;
  if (!items.is_array()) return out;
  for (const Json& item : items) {
    if (item.is_string()) out.emplace_back(trim(item.get_ref<const std::string&>()));
  }
  return out;
}

void read_dependencies(const Json& dependencies, EnvironmentForm& form) {
  if (!dependencies.is_array()) return;
  for (const std::string& package : texts(dependencies)) {
    if (conda_package_name(package) == "python") {
      form.python = conda_package_condition(package);
    } else {
      form.conda.push_back(package);
    }
  }
  for (const Json& item : dependencies) {
    for (std::string& line : texts(child(item, "pip"))) form.pip.push_back(std::move(line));
  }
}

// By name; what has none (options, URLs) is its own.
std::map<std::string, std::string> by_name(const std::vector<std::string>& lines,
                                           std::string (*name_of)(std::string_view)) {
  std::map<std::string, std::string> named;
  for (const std::string& line : lines) {
    const std::string name = name_of(line);
    std::string& known = named[name.empty() ? line : name];
    known += (known.empty() ? "" : ", ") + line;
  }
  return named;
}

using Named = std::map<std::string, std::string>;

void compare_named(const std::string& kind, const Named& a, const Named& b,
                   std::vector<Difference>& out) {
  std::set<std::string> names;
  for (const auto& [name, value] : a) names.insert(name);
  for (const auto& [name, value] : b) names.insert(name);
  const auto value_in = [](const Named& named, const std::string& name) {
    const auto it = named.find(name);
    return it == named.end() ? Json() : Json(it->second);
  };
  for (const std::string& name : names) {
    Difference difference{kind + " " + name, value_in(a, name), value_in(b, name)};
    if (difference.a != difference.b) out.push_back(std::move(difference));
  }
}

}  // namespace

std::string conda_package_name(std::string_view package) {
  package = without_channel(package);
  return lower(package.substr(0, package.find_first_of(" =<>!~[")));
}

std::string conda_package_condition(std::string_view package) {
  package = without_channel(package);
  const auto end = package.find_first_of(" =<>!~[");
  if (end == std::string_view::npos) return "";
  std::string_view condition = trim(package.substr(end));
  if (condition.starts_with('=') && !condition.starts_with("==")) condition.remove_prefix(1);
  return std::string(trim(condition));
}

EnvironmentForm environment_form(const Json& definition) {
  EnvironmentForm form;
  const auto text = [](const Json& object, const char* name) {
    const Json& value = child(object, name);
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  const Json& python = child(definition, "python");
  const Json& docker = child(definition, "docker");
  if (child(python, "userManagedDependencies") == true) {
    form.interpreter = text(python, "interpreterPath");
    if (form.interpreter.empty()) form.interpreter = "python";
  } else {
    const Json& conda = child(python, "condaDependencies");
    form.channels = texts(child(conda, "channels"));
    read_dependencies(child(conda, "dependencies"), form);
  }
  form.dockerfile = text(docker, "baseDockerfile");
  if (form.dockerfile.empty()) form.image = text(docker, "baseImage");
  form.pins = text(definition, "pins");
  if (const Json& variables = child(definition, "environmentVariables"); variables.is_object()) {
    for (const auto& [name, value] : variables.items()) form.variables[name] = value_text(value);
  }
  return form;
}

std::vector<Difference> form_differences(const EnvironmentForm& a, const EnvironmentForm& b) {
  std::vector<Difference> out;
  const auto compare = [&out](const char* name, const std::string& x, const std::string& y) {
    if (x == y) return;
    out.push_back({name, x.empty() ? Json() : Json(x), y.empty() ? Json() : Json(y)});
  };
  const auto joined = [](const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
  };
  compare("python", a.python, b.python);
  compare("interpreter", a.interpreter, b.interpreter);
  compare("channels", joined(a.channels), joined(b.channels));
  compare_named("conda", by_name(a.conda, conda_package_name), by_name(b.conda, conda_package_name),
                out);
  compare_named("pip", by_name(a.pip, requirement_name), by_name(b.pip, requirement_name), out);
  compare("image", a.image, b.image);
  compare("dockerfile", a.dockerfile, b.dockerfile);
  compare("pins", a.pins, b.pins);
  compare_named("variable", a.variables, b.variables, out);
  // Packages are installed in their order, so that counts as well.
  if (out.empty() && a.conda != b.conda) compare("order", joined(a.conda), joined(b.conda));
  if (out.empty() && a.pip != b.pip) compare("order", joined(a.pip), joined(b.pip));
  return out;
}

std::string environment_id(const Json& environment) {
  const std::string name = text_field(environment, "name");
  return child(environment, "curated") == true ? name
                                               : name + ":" + text_field(environment, "version");
}

Result<std::vector<EnvironmentPlan>> possible_plans(const Json& definition) {
  ROOST_TRY(EnvironmentPlan strict, plan_environment(definition, Pins::kStrict));
  ROOST_TRY(EnvironmentPlan nearest, plan_environment(definition, Pins::kNearest));
  std::vector<EnvironmentPlan> plans = {std::move(nearest), std::move(strict)};
  if (text_field(definition, "pins") == "strict") std::swap(plans[0], plans[1]);
  return plans;
}

Json builds_of(const Json& definition, const Json& builds) {
  Json found = Json::array();
  const auto plans = possible_plans(definition);
  if (!plans || !plans->front().needs_build()) return found;
  for (const Json& build : builds) {
    const std::string digest = text_field(build, "digest");
    const std::string lock = to_text(child(build, "lock"));
    const bool ours = std::any_of(plans->begin(), plans->end(), [&](const EnvironmentPlan& plan) {
      return digest == plan.digest() || digest == sha256_hex(plan.digest() + lock);
    });
    if (ours) found.push_back(build);
  }
  return found;
}

}  // namespace roost
