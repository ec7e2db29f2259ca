#pragma once

#include <string>

#include "base/json.h"
#include "cli/show/style.h"

namespace roost {

// The items of list_ranks: rank, node, state, how each ended and its part in a failure. Of very many
// only those that say something.
std::string rank_table(const Json& ranks, int width, const Style& style);

// What became of the ranks that were not the cause, in a line each: "ranks 0 and 1 failed because of it".
std::string others_text(const Json& ranks, const Style& style);

}  // namespace roost
