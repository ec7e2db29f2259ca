#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

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

}  // namespace roost
