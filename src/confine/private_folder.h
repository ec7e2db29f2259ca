#pragma once

#include <filesystem>

#include "base/result.h"

namespace roost {

// A folder that nobody but its owner (and root) gets into; one that is there already is made so.
Status make_private_folder(const std::filesystem::path& folder);

}  // namespace roost
