#pragma once

#include <string>

#include "prepare/environment_cache.h"

namespace roost {

// A built environment as one file, for nodes that do not see this machine's disk: a tar of its folder.
// Made when first asked for, and kept beside the environment.
Result<std::string> environment_pack(const CachedEnvironment& environment);

}  // namespace roost
