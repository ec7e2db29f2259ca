#pragma once

#include <filesystem>

#include "base/result.h"

namespace roost {

// The Python package that scripts report through, unpacked from this binary below `cache` (once per
// version); answers the folder for PYTHONPATH.
Result<std::filesystem::path> unpack_sdk(const std::filesystem::path& cache);

}  // namespace roost
