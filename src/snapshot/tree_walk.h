#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "domain/manifest.h"
#include "snapshot/folder_reader.h"
#include "snapshot/stat_cache.h"

namespace roost {

// What lies in a folder, without what its ignore files leave out. A folder with nothing left in it
// is kept as an empty one.
struct WalkedTree {
  Manifest manifest;              // digests are empty where the cache had none; sizes not yet set
  std::vector<FileStamp> stamps;  // of the entries
  std::vector<Refusal> refusals;
  std::string
      ignore_name;  // ".amlignore" if the root has one, else ".gitignore": which files counted
  bool names_from_cache = false;  // of every folder

  std::unique_ptr<WalkedFolder> root;  // the folders; their entries have been moved to the manifest
};

// Lists the tree below the open folder `root` on `threads` threads.
WalkedTree walk_tree(int root, const StatCache& cache, int threads);

// The cache file for this tree, when the digests of its entries are known. A file without one is
// left out. `snapshot` is the digest of the manifest, "" if the tree cannot be one.
std::string cache_of(const WalkedTree& tree, std::int64_t scan_start, std::string_view snapshot);

}  // namespace roost
