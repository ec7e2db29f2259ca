#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "domain/manifest.h"

namespace roost {

struct ScanOptions {
  std::filesystem::path cache_folder;  // "$XDG_CACHE_HOME/roost"; empty for no stat cache
  int threads = 0;                     // 0: one a core, at most 8
};

// A folder as it was when it was looked at.
struct ScannedTree {
  std::filesystem::path root;  // absolute
  Manifest manifest;
  std::string digest;      // of manifest_text(manifest): the snapshot's name
  std::size_t hashed = 0;  // files that were read; the digests of the others were in the cache

  std::filesystem::path path_of(const ManifestEntry& entry) const { return root / entry.path; }
};

// Reads the folder `source`, without what its ignore files leave out. kNotFound if it is missing,
// kInvalidArgument if it is not a folder or holds what a snapshot cannot (sockets, devices, pipes,
// symlinks that lead out, unreadable files, names that are not UTF-8, files that never keep still);
// the message then names up to ten of them.
Result<ScannedTree> scan_tree(const std::filesystem::path& source, const ScanOptions& options = {});

}  // namespace roost
