#pragma once

#include <string>

#include "cli/console.h"

namespace roost {

// The Run a user means: by its id; by the beginning of an id, a short id or its beginning, or a display name that only one
// run of the workspace has; by "@" or "latest" for the newest one, "@~2" for the second before it, "@birds" and "@birds~2" for
// those of an experiment (archived runs do not count). kNotFound if there is none, kInvalidArgument with the candidates if there
// are several.
Result<Json> find_run(Console& console, const std::string& reference);

std::string run_path(const Json& run, const std::string& rest = "");  // "/runs/<id><rest>"

}  // namespace roost
