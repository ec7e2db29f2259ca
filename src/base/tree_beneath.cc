#include "base/tree_beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <memory>
#include <vector>

#include "base/open_beneath.h"
#include "base/text.h"

namespace roost {
namespace {

constexpr int kMostLinks = 40;  // as the kernel

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() || folder == "." ? name : folder + "/" + name;
}

std::string link_target(int root, const std::string& path) {
  const Fd link = open_beneath(root, path, O_PATH);
  std::string target(4096, '\0');
  const ssize_t length = link ? ::readlinkat(link.get(), "", target.data(), target.size()) : -1;
  target.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
  return target;
}

}  // namespace

void walk_beneath(int root, const std::string& folder, const TreeVisitor& visitor) {
  std::vector<std::string> folders = {folder};
  while (!folders.empty()) {
    const std::string at = std::move(folders.back());
    folders.pop_back();
    Fd fd = open_beneath(root, at, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
    if (!fd) {
      if (errno != ENOENT && errno != ENOTDIR && visitor.unreadable) visitor.unreadable(at, errno);
      continue;
    }
    const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(fd.get()));
    if (!entries) continue;
    const int number = fd.release();
    while (const dirent* entry = ::readdir(entries.get())) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat info {};
      if (::fstatat(number, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISDIR(info.st_mode)) {
        folders.push_back(joined(at, name));
      } else {
        visitor.each(joined(at, name), info);
      }
    }
  }
}

std::string resolve_beneath(int root, const std::string& root_path, const std::string& path) {
  std::deque<std::string> ahead;
  const auto follow = [&](const std::string& text) {
    const auto parts = split(text, '/');
    ahead.insert(ahead.begin(), parts.begin(), parts.end());
  };
  follow(path);
  std::vector<std::string> done;
  int links = 0;
  while (!ahead.empty()) {
    const std::string part = std::move(ahead.front());
    ahead.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (done.empty()) return "";
      done.pop_back();
      continue;
    }
    std::string so_far;
    for (const auto& each : done) so_far = joined(so_far, each);
    so_far = joined(so_far, part);
    const Fd fd = open_beneath(root, so_far, O_PATH);
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0) return "";
    if (!S_ISLNK(info.st_mode)) {
      done.push_back(part);
      continue;
    }
    std::string target = link_target(root, so_far);
    if (target.empty() || ++links > kMostLinks) return "";
    if (target.starts_with('/')) {
      if (!target.starts_with(root_path + "/")) return "";
      target = target.substr(root_path.size() + 1);
      done.clear();
    }
    follow(target);
  }
  std::string real;
  for (const auto& each : done) real = joined(real, each);
  return real;
}

Fd make_folder_beneath(int root, const std::string& path) {
  Fd at = open_beneath(root, ".", O_PATH | O_DIRECTORY);
  if (path.empty() || path == ".") return at;
  if (!is_safe_relative_path(path)) {
    errno = EXDEV;
    return {};
  }
  for (const auto& part : split(path, '/')) {
    if (!at) return {};
    const bool made = ::mkdirat(at.get(), part.c_str(), 0777) == 0;
    if (!made && errno != EEXIST) return {};
    // One part, so that there is nothing on the way: a link in its place is not followed.
    Fd next(::openat(at.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!next && errno == ENOTDIR && ::fstatat(at.get(), part.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      errno = S_ISLNK(info.st_mode) ? ELOOP : ENOTDIR;
    }
    const int error = errno;
    at = std::move(next);
    errno = error;  // closing may change it
  }
  return at;
}

Fd make_file_in(int folder, const std::string& name, unsigned mode) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Fd fd(::openat(folder, name.c_str(), kFlags, mode));
  if (fd || errno != EEXIST || ::unlinkat(folder, name.c_str(), 0) != 0) return fd;
  return Fd(::openat(folder, name.c_str(), kFlags, mode));
}

}  // namespace roost
