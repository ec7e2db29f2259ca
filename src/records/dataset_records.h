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

// A version of a named set of data: a definition that the SDK reads (which paths of which
// datastores), not the data itself.
struct Dataset {
  std::string id;
  std::string workspace;
  std::string name;
  std::int64_t version = 1;
  std::string kind = "file";  // or "tabular"
  Json definition = Json::object();
  std::string description;
  Json tags = Json::object();
  Micros created = 0;
};

// By name (the newest version if none is named) or by id.
Result<Dataset> find_dataset(Tx& tx, std::string_view workspace, std::string_view name,
                             std::optional<std::int64_t> version);
// The newest version of each; all versions of `name` if one is given.
Result<std::vector<Dataset>> list_datasets(Tx& tx, std::string_view workspace, std::string_view name);
Status insert_dataset(Tx& tx, const Dataset& dataset);
// Forgets all its versions.
Status delete_dataset(Tx& tx, const Dataset& dataset);

}  // namespace roost
