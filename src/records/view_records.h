#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"

namespace roost {

// A saved view of the run table: the query string of its page under a name.
struct View {
  std::string name;
  std::string state;
  std::string created_by;
  Micros created = 0;
};
Json view_json(const View& view);

Result<std::vector<View>> list_views(Tx& tx, const std::string& workspace);  // by name
Result<View> find_view(Tx& tx, const std::string& workspace, const std::string& name);
// Puts it in the place of the one of that name. kFailedPrecondition beyond 1000 views.
Status save_view(Tx& tx, const std::string& workspace, const View& view);
Status delete_view(Tx& tx, const std::string& workspace, const std::string& name);

}  // namespace roost
