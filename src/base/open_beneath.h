#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/files.h"

namespace roost {

// Opens `path` below the folder `root` without going through any symlink, so that a folder replaced
// by a symlink while a tree is read does not lead out of it. "." is `root` itself. On failure the Fd is
// empty and errno says why (ELOOP for a symlink).
Fd open_beneath(int root, const std::string& path, int flags);
// The same where the kernel lacks openat2: part by part.
Fd open_part_by_part(int root, const std::string& path, int flags);

struct PlainFile {
  Fd fd;
  struct stat info {};
};
// Opens a regular file below `root` for reading. Nothing that somebody else may put there makes it wait:
// a FIFO, a device, a folder and a link are refused. On failure errno says why (EINVAL for what is no
// regular file).
std::optional<PlainFile> open_plain_file(int root, const std::string& path);

// At most `limit` bytes of a file from `offset` on; fewer at its end or where it cannot be read.
std::string read_at(int fd, std::uint64_t offset, std::size_t limit);

}  // namespace roost
