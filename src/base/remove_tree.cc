#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "base/inside_write.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::size_t kDeepest = 100;  // folders that are open at once

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// Opens a folder to empty it, whatever its owner did to its mode. Never through a link.
Folder open_to_empty(int parent, const char* name) {
  const Fd place(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!place || ::fstat(place.get(), &info) != 0) return nullptr;
  const std::string path = fmt::format("/proc/self/fd/{}", place.get());
  if ((info.st_mode & S_IRWXU) != S_IRWXU) ::chmod(path.c_str(), (info.st_mode & 07777) | S_IRWXU);
  Fd fd(::openat(place.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Folder folder(fd ? ::fdopendir(fd.get()) : nullptr);
  if (folder) (void)fd.release();
  return folder;
}

struct Open {
  Folder folder;
  std::string name;  // in the folder before
};

// Empties the folder `top`. What lies deeper than kDeepest is moved up to be removed later.
int empty(Folder top) {
  const int top_fd = ::dirfd(top.get());
  int first_error = 0;
  bool moved = true;
  std::size_t moves = 0;
  std::vector<Open> open;
  open.push_back({std::move(top), ""});
  while (moved) {
    moved = false;
    ::rewinddir(open.front().folder.get());
    while (!open.empty()) {
      const int at = ::dirfd(open.back().folder.get());
      const dirent* entry = ::readdir(open.back().folder.get());
      if (!entry) {
        if (open.size() == 1) break;
        const std::string name = std::move(open.back().name);
        open.pop_back();
        if (::unlinkat(::dirfd(open.back().folder.get()), name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT &&
            !(moved && errno == ENOTEMPTY) && first_error == 0) {
          first_error = errno;
        }
        continue;
      }
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (::unlinkat(at, name.c_str(), 0) == 0 || errno == ENOENT) continue;
      const int error = errno;
      if (error != EISDIR && error != EPERM && error != EACCES) {
        if (first_error == 0) first_error = error;
        continue;
      }
      if (open.size() >= kDeepest) {
        const std::string higher = fmt::format(".removed-{}-{}", ::getpid(), moves++);
        if (::renameat(at, name.c_str(), top_fd, higher.c_str()) == 0) moved = true;
        else if (first_error == 0) first_error = errno;
        continue;
      }
      if (Folder below = open_to_empty(at, name.c_str())) {
        open.push_back({std::move(below), name});
      } else if (first_error == 0) {
        first_error = error == EISDIR ? errno : error;
      }
    }
  }
  return first_error;
}

}  // namespace

Status remove_tree(const fs::path& path) {
  check_outside_write("removes files");
  if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
  Folder top = open_to_empty(AT_FDCWD, path.c_str());
  if (!top) return errno == ENOENT ? Status() : fail_errno(errno, "remove " + path.string());
  const int error = empty(std::move(top));
  if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return {};
  return fail_errno(error != 0 ? error : errno, "remove " + path.string());
}

}  // namespace roost
