#pragma once

#include <string>

#include "base/json.h"
#include "cli/console.h"

namespace roost {

// An environment as it is typed: NAME or NAME:VERSION.
struct EnvironmentReference {
  std::string name;
  std::string version;  // "" for the newest
};
Result<EnvironmentReference> parse_environment_reference(const std::string& text);
// Path of the environment below /api/v1, with the version as its query.
std::string environment_path(const Console& console, const EnvironmentReference& reference,
                             const std::string& rest = "");

// get_environment, by reference.
Result<Json> find_environment(Console& console, const std::string& text);

}  // namespace roost
