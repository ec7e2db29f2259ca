#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"

namespace roost {

// A version of an environment that somebody registered.
struct EnvironmentRow {
  std::string name;
  std::int64_t version = 1;
  Json definition = Json::object();
  std::string digest;  // of the definition's text
  Micros created = 0;
};
// The newest version if none is named; nothing if there is none.
Result<std::optional<EnvironmentRow>> environment_row(Tx& tx, std::string_view workspace, std::string_view name,
                                                      std::optional<std::int64_t> version);
// Newest versions by name; all versions of `name`, the newest first, if one is given.
Result<std::vector<EnvironmentRow>> environment_rows(Tx& tx, std::string_view workspace, std::string_view name);
Status insert_environment(Tx& tx, std::string_view workspace, const EnvironmentRow& row);

}  // namespace roost
