#pragma once

#include <atomic>
#include <filesystem>

#include "base/result.h"

namespace roost {

// The Python package that scripts report through, unpacked from this binary below `cache` (once per
// version); answers the folder for PYTHONPATH.
Result<std::filesystem::path> unpack_sdk(const std::filesystem::path& cache);

// Leaves bytecode beside the package, which runs cannot do themselves: they must not change what others start with.
// Without it they start as well, a little later. Does nothing if there is some; ends early when `stop` becomes true.
void compile_sdk(const std::filesystem::path& folder, const std::atomic<bool>& stop);

}  // namespace roost
