#pragma once

#include <string>

#include "cli/console.h"

namespace roost {

// The Sweep a user means: by its id, by the beginning of an id ("HD_" may be left out) that only one
// sweep of the workspace has, or "@", "latest" or "" for the newest one. kNotFound if there is none,
// kInvalidArgument with the candidates if there are several.
Result<Json> find_sweep(Console& console, const std::string& reference);

std::string sweep_path(const Json& sweep, const std::string& rest = "");  // "/sweeps/<id><rest>"

// All its trials, in order of number.
Result<Json> all_trials(ApiClient& client, const Json& sweep);

}  // namespace roost
