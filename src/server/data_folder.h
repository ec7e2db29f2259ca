#pragma once

#include <filesystem>

#include "base/result.h"

namespace roost {

// Refuses a data folder that has files of runs but no database: what would be started is an empty server that knows
// nothing of them, and its garbage collection would remove them. Call it before the database is opened.
Status check_data_folder(const std::filesystem::path& data);

}  // namespace roost
