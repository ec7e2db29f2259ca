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
  if (!python.empty()) dependencies.push_back("python=" + python);
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
  for (const auto& item : environments.items()) {
    ROOST_CHECK(check_registry_name(item.key(), "environment"));
    ROOST_TRY(Json definition, definition_from(item.value(), fmt::format("the environment {} in {}",
                                                                         item.key(), file_name)));
    entries_[lower(item.key())] = {item.key(), std::move(definition), ""};
  }
  std::vector<std::pair<std::string, std::string>> patterns;
  for (const auto& item : aliases.items()) {
    const auto target = entries_.find(lower(item.value().get<std::string>()));
    if (target == entries_.end() || !target->second.alias_of.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: the alias {} stands for \"{}\", which is not among the environments",
                              file_name, item.key(), item.value().get<std::string>()));
    }
    const std::string key = lower(item.key());
    if (key.ends_with('*')) {
      patterns.emplace_back(key.substr(0, key.size() - 1), target->first);
    } else {
      ROOST_CHECK(check_registry_name(item.key(), "environment"));
      entries_[key] = {item.key(), target->second.definition, target->second.spelled};
    }
  }
  patterns_.insert(patterns_.begin(), patterns.begin(), patterns.end());
  return {};
}

std::optional<CuratedEnvironment> CuratedEnvironments::find(std::string_view name) const {
  const std::string key = lower(std::string(name));
  CuratedEnvironment found;
  if (const auto it = entries_.find(key); it != entries_.end()) {
    found = {it->second.spelled, it->second.definition, it->second.alias_of, ""};
  } else {
    for (const auto& [prefix, environment] : patterns_) {
      if (!key.starts_with(prefix)) continue;
      const Entry& entry = entries_.at(environment);
      found = {std::string(name), entry.definition, entry.spelled, ""};
      break;
    }
  }
  if (found.name.empty()) return std::nullopt;
  if (!found.alias_of.empty()) {
    found.notice = fmt::format("{} stands for Roost's curated environment {}; the operator of the server "
                               "can change that in its list of curated environments",
                               found.name, found.alias_of);
  }
  return found;
}

std::vector<std::string> CuratedEnvironments::names() const {
  std::vector<std::string> names;
  for (const auto& [key, entry] : entries_) names.push_back(entry.spelled);
  return names;
}

}  // namespace roost
