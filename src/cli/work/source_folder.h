#pragma once

#include <filesystem>
#include <string>

#include "cli/console.h"
#include "snapshot/tree_scan.h"

namespace roost {

// Where the stat cache lies: $XDG_CACHE_HOME/roost, else ~/.cache/roost, else none.
std::filesystem::path cache_folder();

// The folder as a snapshot, by help of the stat cache; "" is the current folder.
Result<ScannedTree> scan_source(const std::string& source);

// Uploads what the server lacks of it, with a progress bar on a terminal and a line at the end.
Status upload_source(Console& console, const ScannedTree& tree);

}  // namespace roost
