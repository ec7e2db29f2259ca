#pragma once

#include <filesystem>

#include "base/result.h"

namespace roost {

// Refuses a data folder that has files of runs but no database: what would be started is an empty server that knows
// nothing of them, and its garbage collection would remove them. Call it before the database is opened.
Status check_data_folder(const std::filesystem::path& data);

// A data folder may lie in a folder that is submitted, or in a git work tree: ignore files in it keep its secrets and
// everybody's blobs out of snapshots and commits. Does nothing if others keep files in it too, as in a home, or if it
// cannot write.
void keep_out_of_snapshots(const std::filesystem::path& data);

}  // namespace roost
