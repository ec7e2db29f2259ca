#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "cli/console.h"

namespace roost {

// Fetches the files that a run kept below `prefix` ("outputs/scores/") to `folder`, without the prefix, each verified.
// Answers how many there were.
Result<std::size_t> download_outputs(Console& console, const Json& run, const std::string& prefix,
                                     const std::filesystem::path& folder);

}  // namespace roost
