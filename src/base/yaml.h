#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace roost {

// A YAML document as JSON. Plain scalars become null, booleans and numbers by YAML 1.2's core rules;
// quoted ones stay strings. `what` names the document in an error, which gives the line.
Result<Json> parse_yaml(std::string_view text, std::string_view what);

// Where the keys of a document stand, in the order they are written: what JSON does not keep. A path
// is like "/space/0/name"; a line counts from 1.
struct YamlKey {
  std::string path;
  int line = 0;
};
Result<std::vector<YamlKey>> yaml_keys(std::string_view text, std::string_view what);

}  // namespace roost
