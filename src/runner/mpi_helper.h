#pragma once

#include <filesystem>

#include "base/result.h"

namespace roost {

// The program roost-mpi (src/mpi), unpacked from this binary below `cache` (once per version); answers its
// path. roost-mpi-agent is beside it.
Result<std::filesystem::path> unpack_mpi_helper(const std::filesystem::path& cache);

}  // namespace roost
