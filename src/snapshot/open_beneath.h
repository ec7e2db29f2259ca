#pragma once

#include <string>

#include "base/files.h"

namespace roost {

// Opens `path` below the folder `root` without going through any symlink, so that a folder replaced
// by a symlink while a tree is read does not lead out of it. On failure the Fd is empty and errno
// says why (ELOOP for a symlink). Where the kernel lacks openat2 only the last part is guarded.
Fd open_beneath(int root, const std::string& path, int flags);

}  // namespace roost
