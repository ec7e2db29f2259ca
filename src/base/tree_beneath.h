#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

#include "base/files.h"

namespace roost {

struct TreeVisitor {
  // Everything that is no folder: files, links, FIFOs. `path` is relative to the root.
  std::function<void(const std::string& path, const struct stat& info)> each;
  // A folder that cannot be looked into, with errno; it may be null.
  std::function<void(const std::string& path, int error)> unreadable;
};

// Visits what is below `folder`, a path below the open folder `root`, while somebody else may be changing
// it: no link is followed, so nothing outside of `root` is seen, and what vanishes meanwhile is passed
// over. In no particular order.
void walk_beneath(int root, const std::string& folder, const TreeVisitor& visitor);

// Where `path` below `root` leads if every link on the way is followed: a path without links, to be
// opened by open_beneath. `root_path` is what absolute links call the root. "" if it leads out of
// the root, to nothing, or round in a circle.
std::string resolve_beneath(int root, const std::string& root_path, const std::string& path);

// Opens the folder `path` below `root` as a place (O_PATH), and makes what is missing of it. No link is followed:
// on failure the Fd is empty and errno says why (ELOOP for a link on the way). "." and "" are `root` itself.
Fd make_folder_beneath(int root, const std::string& path);

// Makes a file in an open folder, in place of a file or link of that name, which is not followed. On failure the Fd is
// empty and errno says why.
Fd make_file_in(int folder, const std::string& name, unsigned mode);

}  // namespace roost
