#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"

namespace roost {

// A secret of a workspace. Its name is found in upper and lower case alike, and shown as it was first written.
struct Secret {
  std::string workspace;
  std::string name;
  std::string sealed;  // for secret_place()
  Micros created = 0;
  Micros updated = 0;
  std::string updated_by;
};

// Without its value.
Json secret_json(const Secret& secret);
// What its value is sealed for.
std::string secret_place(const std::string& workspace, const std::string& name);

Result<std::optional<Secret>> look_for_secret(Tx& tx, const std::string& workspace, const std::string& name);
// The same; kNotFound says how one is made.
Result<Secret> find_secret(Tx& tx, const std::string& workspace, const std::string& name);
// By name, those after `after_name`.
Result<std::vector<Secret>> list_secrets(Tx& tx, const std::string& workspace, const std::string& after_name,
                                         std::int64_t limit);
// Of all workspaces.
Result<std::vector<Secret>> all_secrets(Tx& tx);
// Makes it, or gives the one of this name another value.
Status save_secret(Tx& tx, const Secret& secret);
Status delete_secret(Tx& tx, const Secret& secret);

}  // namespace roost
