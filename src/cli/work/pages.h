#pragma once

#include <functional>
#include <string>

#include "client/api_client.h"

namespace roost {

// Reads a list of the API page by page. `path` may have a query. `each` gets every item and returns
// false when it has enough.
Status each_item(ApiClient& client, const std::string& path,
                 const std::function<bool(const Json&)>& each);

// The list as the API would give it in one page of any size: {"items", "next_cursor"}. At most
// `limit` items; 0 for all.
Result<Json> all_items(ApiClient& client, const std::string& path, std::size_t limit = 0);

// A list of runs without those in the archive, or with `archived` only those.
Result<Json> listed_runs(ApiClient& client, const std::string& path, std::size_t limit, bool archived = false);

}  // namespace roost
