#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/console.h"
#include "domain/environment_plan.h"

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
std::string environment_id(const Json& environment);  // "birds:3"; a curated one has no version

// What the definition is built as. The definition's own pins, else the nearest, are first; the
// server may be configured to prefer the others. Fails on a definition that no server would build.
Result<std::vector<EnvironmentPlan>> possible_plans(const Json& definition);

// Those of the built environments that were made of this definition: by either kind of pins, or by
// the lock of an earlier build.
Json builds_of(const Json& definition, const Json& builds);

}  // namespace roost
