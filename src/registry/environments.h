#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"
#include "registry/curated.h"

namespace roost {

// A version of an environment's definition, stored as the client gave it (Azure ML's JSON form).
struct Environment {
  std::string name;
  std::int64_t version = 1;
  Json definition = Json::object();
  bool curated = false;
  std::string alias_of;  // the curated environment an alias stands for
  std::string notice;    // says so in words
  Micros created = 0;
};
Json environment_json(const Environment& environment);

// The newest version if none is named. A name that nobody registered is looked up among the curated
// ones, letter case aside.
Result<Environment> find_environment(Tx& tx, const CuratedEnvironments& curated,
                                     std::string_view workspace, std::string_view name,
                                     std::optional<std::int64_t> version);

// The newest version if its definition is the same, else a new one. Reserved names are refused.
Result<Environment> register_environment(Tx& tx, const CuratedEnvironments& curated,
                                         const std::string& workspace, const std::string& name,
                                         const Json& definition, Micros now);

// Newest versions by name, the curated ones last; all versions of `name` if one is given.
Result<std::vector<Environment>> list_environments(Tx& tx, const CuratedEnvironments& curated,
                                                   std::string_view workspace, std::string_view name);

}  // namespace roost
