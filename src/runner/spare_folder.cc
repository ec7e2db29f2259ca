#include "runner/spare_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "base/files.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

mode_t mode_of_new_folders() {
  const mode_t mask = ::umask(022);
  ::umask(mask);
  return 0777 & ~mask;
}

// One of the folders that every run has.
bool is_usual(const std::string& path) {
  for (const char* usual : {"bin", "code", "code/logs", "code/outputs", "packages", "spool", "stacks"}) {
    if (path == usual) return true;
  }
  return false;
}

// One of the links that every run has in bin.
bool is_program(const std::string& name) {
  return name == "python" || name == "python3" || name == "pip" || name == "pip3";
}

// Without marks that outlast what is in it, such as an access list that new files would inherit.
bool is_plain(int fd) {
  int flags = 0;
  const bool has_flags = ::ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & (FS_IMMUTABLE_FL | FS_APPEND_FL)) != 0;
  return !has_flags && ::flistxattr(fd, nullptr, 0) <= 0;
}

// Empties a file that has no other name, so that nobody else has it.
bool clear_file(int folder, const char* name, mode_t mode_of_folders) {
  const Fd fd(::openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  return fd && ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 &&
         info.st_uid == ::geteuid() && is_plain(fd.get()) && (info.st_mode & 07777) == (0666 & mode_of_folders & ~022U) &&
         (info.st_size == 0 || ::ftruncate(fd.get(), 0) == 0);
}

}  // namespace

SpareFolder::SpareFolder(fs::path place) : place_(std::move(place)), mode_(mode_of_new_folders()) {}

void SpareFolder::give(const fs::path& folder, const std::string& user) {
  if (user_.empty()) return;
  if (user == user_) {
    (void)::rename(place_.c_str(), folder.c_str());
  } else {
    (void)remove_tree(place_);
  }
  user_.clear();
}

bool SpareFolder::take(const fs::path& folder, const std::string& user) {
  if (user.empty() || !user_.empty()) return false;
  const Fd top(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!top || !clear(top.get(), "") || ::rename(folder.c_str(), place_.c_str()) != 0) return false;
  user_ = user;
  return true;
}

// `path` is that of the folder `fd` below the run's; "" is the run's own.
bool SpareFolder::clear(int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !is_plain(fd)) return false;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(::fcntl(fd, F_DUPFD_CLOEXEC, 0)), ::closedir);
  if (!entries) return false;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string below = path.empty() ? name : path + "/" + name;
    const Fd folder(::openat(fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder) {
      if (!is_usual(below) || !clear(folder.get(), below)) return false;
    } else if (path == "bin" && entry->d_type == DT_LNK && is_program(name)) {
      continue;  // whoever needs them looks where they lead
    } else if (!path.empty() || name != "rank-0.log" || !clear_file(fd, name.c_str(), mode_)) {
      return false;
    }
  }
  if ((info.st_uid != ::geteuid() || info.st_gid != ::getegid()) && ::fchown(fd, ::geteuid(), ::getegid()) != 0) {
    return false;
  }
  return (info.st_mode & 07777) == mode_ || ::fchmod(fd, mode_) == 0;
}

}  // namespace roost
