#include "registry/curated.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml.h"
#include "domain/names.h"
#include "registry/embedded_curated.h"

namespace roost {
namespace {

// The form the SDK and the API use; the YAML gives only what differs from one to the other.
Result<Json> definition_from(const Json& yaml, const std::string& what) {
  JsonFields fields(yaml, what);
  const std::string python = fields.string("python");
  const auto pip = fields.strings("pip");
  auto conda = fields.strings("conda");
  auto channels = fields.strings("channels");
  const std::string image = fields.string("image");
  const Json variables = fields.string_map("variables");
  fields.string("description");
  ROOST_CHECK(fields.done());
  Json dependencies = Json::array();
  // Without packages there is nothing to build, and the server's own Python will do whatever its version.
  const bool has_packages = !pip.empty() || !conda.empty() || !image.empty();
  if (!python.empty() && has_packages) dependencies.push_back("python=" + python);
  for (const auto& package : conda) dependencies.push_back(package);
  if (!pip.empty()) dependencies.push_back({{"pip", pip}});
  if (channels.empty()) channels.emplace_back("conda-forge");
  return Json{{"python",
               {{"userManagedDependencies", false},
                {"interpreterPath", "python"},
                {"condaDependencies", {{"channels", channels}, {"dependencies", dependencies}}}}},
              {"docker", {{"baseImage", image.empty() ? Json() : Json(image)}}},
              {"environmentVariables", variables}};
}

}  // namespace

Result<CuratedEnvironments> CuratedEnvironments::built_in() {
  CuratedEnvironments all;
  for (const auto& [name, text] : embedded_curated()) {
    ROOST_CHECK(all.add(text, std::string(name)));
  }
  return all;
}

Status CuratedEnvironments::add(std::string_view yaml, const std::string& file_name) {
  ROOST_TRY(Json root, parse_yaml(yaml, file_name));
  if (root.is_null()) root = Json::object();
  JsonFields fields(root, file_name);
  const Json environments = fields.object("environments");
  const Json aliases = fields.string_map("aliases");
  ROOST_CHECK(fields.done());
  Layer layer;
  for (const auto& item : environments.items()) {
    ROOST_CHECK(check_registry_name(item.key(), "environment"));
    ROOST_TRY(Json definition, definition_from(item.value(), fmt::format("the environment {} in {}",
                                                                         item.key(), file_name)));
    environments_[lower(item.key())] = {item.key(), std::move(definition)};
    layer.environments.insert(lower(item.key()));
  }
  for (const auto& item : aliases.items()) {
    const std::string target = lower(item.value().get<std::string>());
    if (!environments_.contains(target)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: the alias {} stands for \"{}\", which is not among the environments",
                              file_name, item.key(), item.value().get<std::string>()));
    }
    const std::string key = lower(item.key());
    if (key.ends_with('*')) {
      layer.patterns[key.substr(0, key.size() - 1)] = target;
    } else {
      ROOST_CHECK(check_registry_name(item.key(), "environment"));
      layer.aliases[key] = {item.key(), target};
    }
  }
  layers_.push_back(std::move(layer));
  return {};
}

std::optional<CuratedEnvironment> CuratedEnvironments::find(std::string_view name) const {
  const std::string key = lower(std::string(name));
  const auto stands_for = [&](const std::string& spelled, const std::string& environment) {
    const Environment& target = environments_.at(environment);
    return CuratedEnvironment{spelled, target.definition, target.spelled,
                              fmt::format("{} stands for Roost's curated environment {}; the operator of the server "
                                          "can change that in its list of curated environments",
                                          spelled, target.spelled)};
  };
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    // An alias may carry the name of an environment of the same file; then the alias is what is meant.
    if (const auto alias = layer->aliases.find(key); alias != layer->aliases.end()) {
      return stands_for(alias->second.spelled, alias->second.environment);
    }
    if (layer->environments.contains(key)) {
      const Environment& found = environments_.at(key);
      return CuratedEnvironment{found.spelled, found.definition, "", ""};
    }
    const std::string* longest = nullptr;
    for (const auto& [prefix, environment] : layer->patterns) {
      if (key.starts_with(prefix)) longest = &environment;  // in their order a longer one comes later
    }
    if (longest) return stands_for(std::string(name), *longest);
  }
  return std::nullopt;
}

std::vector<std::string> CuratedEnvironments::names() const {
  std::map<std::string, std::string> spelled;
  for (const auto& [key, environment] : environments_) spelled[key] = environment.spelled;
  for (const auto& layer : layers_) {
    for (const auto& [key, alias] : layer.aliases) spelled[key] = alias.spelled;
  }
  std::vector<std::string> names;
  for (auto& [key, name] : spelled) names.push_back(std::move(name));
  return names;
}

}  // namespace roost
