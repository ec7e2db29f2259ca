#pragma once

#include <string_view>

#include "base/json.h"

namespace roost {

// A TOML document as JSON, as far as package tools write them: tables, arrays of tables, strings of all four kinds, numbers,
// booleans, arrays, inline tables. Dates stay text. `what` names the document in an error, which gives the line. What is
// nested deeper than 32 is refused.
Result<Json> parse_toml(std::string_view text, std::string_view what);

}  // namespace roost
