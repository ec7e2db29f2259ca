#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "cli/show/style.h"
#include "cli/show/table.h"

namespace roost {

TextTable compute_table(const Json& computes);

// All facts of one compute; `nodes` may be null.
std::string compute_page(const Json& compute, const Json& nodes, Micros now, const Style& style,
                         int width);

std::string node_counts_text(const Json& compute);  // "2 running, 1 idle"

}  // namespace roost
