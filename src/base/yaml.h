#pragma once

#include <string_view>

#include "base/json.h"

namespace roost {

// A YAML document as JSON. Plain scalars become null, booleans and numbers by YAML 1.2's core rules;
// quoted ones stay strings. `what` names the document in an error, which gives the line.
Result<Json> parse_yaml(std::string_view text, std::string_view what);

}  // namespace roost
