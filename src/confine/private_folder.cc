#include "confine/private_folder.h"

#include <sys/stat.h>

#include <cerrno>

#include "base/files.h"

namespace fs = std::filesystem;

namespace roost {

Status make_private_folder(const fs::path& folder) {
  if (folder.has_parent_path()) ROOST_CHECK(make_folders(folder.parent_path()));
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  struct stat info {};
  if (errno != EEXIST || ::stat(folder.c_str(), &info) != 0) {
    return fail_errno(errno, "make the folder " + folder.string());
  }
  if (!S_ISDIR(info.st_mode)) return fail_errno(ENOTDIR, "make the folder " + folder.string());
  if ((info.st_mode & 077) == 0 || ::chmod(folder.c_str(), info.st_mode & 07700) == 0) return {};
  return fail_errno(errno, "close the folder " + folder.string() + " to others");
}

}  // namespace roost
