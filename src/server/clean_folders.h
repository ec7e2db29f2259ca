#pragma once

#include <cstdint>

#include "server/garbage_parts.h"

namespace roost {

struct CleanedFolders {
  std::int64_t files = 0;  // of caches
  std::int64_t nodes = 0;  // folders of nodes that are none
  std::uint64_t bytes = 0;
};

// Removes what lies beside the blobs and can be had again or serves nobody, if it was not used for `grace`:
// files of `nodes/cache`, packed environments, and folders of nodes that the records do not know and no
// process uses. What cannot be removed is passed over.
CleanedFolders clean_folders(const GarbageParts& parts, Micros grace);

}  // namespace roost
