#include "confine/hidden_folders.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::size_t kMostShown = 256;

bool is_text_below(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/' || folder == "/");
}

bool has_hidden(const std::vector<std::string>& folders, const std::string& path) {
  return std::any_of(folders.begin(), folders.end(), [&](const auto& folder) { return is_text_below(path, folder); });
}

// Where paths really are. Most of those that are asked for lie side by side, so folders are remembered.
class RealPaths {
 public:
  struct Found {
    std::string path;
    bool is_folder = false;
  };

  std::optional<Found> find(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    struct stat info {};
    const bool is_plain = path.starts_with('/') && slash > 0 && slash + 1 < path.size() && !path.ends_with("/..") &&
                          !path.ends_with("/.");
    if (is_plain && ::lstat(path.c_str(), &info) != 0) return std::nullopt;
    if (is_plain && !S_ISLNK(info.st_mode)) {
      const std::string* above = folder(path.substr(0, slash));
      if (!above) return std::nullopt;
      return Found{(*above == "/" ? "" : *above) + path.substr(slash), S_ISDIR(info.st_mode)};
    }
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error) return std::nullopt;
    return Found{real.string(), fs::is_directory(real, error)};
  }

 private:
  const std::string* folder(const std::string& path) {
    const auto known = folders_.find(path);
    if (known != folders_.end()) return &known->second;
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? nullptr : &(folders_[path] = real.string());
  }

  std::map<std::string, std::string> folders_;
};

// The folder itself, and where links in it lead to: parts of a data folder may be on other disks.
void add_folder(const fs::path& folder, std::set<std::string>& all) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error || real == "/") return;
  all.insert(real.string());
  for (const auto& entry : fs::directory_iterator(real, error)) {
    std::error_code ignored;
    if (!entry.is_symlink(ignored) || !entry.is_directory(ignored)) continue;
    const fs::path target = fs::canonical(entry.path(), ignored);
    if (!ignored && target != "/" && !is_below(real, target)) all.insert(target.string());
  }
}

// Where overlayfs keeps what is written; without it the path is read-only.
Status add_layers(ShownPath& shown) {
  if (shown.layers.empty()) return {};
  for (const auto& path : {shown.path, shown.layers}) {
    if (path.find_first_of(",:\\") != std::string::npos) return {};
  }
  for (const char* name : {"upper", "work"}) ROOST_CHECK(make_folders(fs::path(shown.layers) / name));
  shown.overlay = fmt::format("lowerdir={0},upperdir={1}/upper,workdir={1}/work", shown.path, shown.layers);
  return {};
}

// From here on: only what may be called in a bare copy of a process with threads.

// What of two paths is the same, up to and with a slash.
std::size_t common_folders(const char* a, const char* b) {
  std::size_t common = 0;
  for (std::size_t i = 0; a[i] != '\0' && a[i] == b[i]; ++i) {
    if (a[i] == '/') common = i + 1;
  }
  return common;
}

// The first `there` characters are folders that exist.
bool make_place(const char* path, std::size_t there, bool is_file) {
  char text[PATH_MAX];
  const std::size_t length = std::strlen(path);
  if (length == 0 || length >= sizeof text) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::memcpy(text, path, length + 1);
  for (std::size_t i = std::max<std::size_t>(there, 1); i < length; ++i) {
    if (text[i] != '/') continue;
    text[i] = '\0';
    if (::mkdir(text, 0755) != 0 && errno != EEXIST && errno != EROFS) return false;
    text[i] = '/';
  }
  if (!is_file) return ::mkdir(text, 0755) == 0 || errno == EEXIST || errno == EROFS;
  const int fd = ::open(text, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
  if (fd >= 0) ::close(fd);
  return fd >= 0 || errno == EROFS || errno == EACCES;
}

// A mount of what is at the path now, to be put back once the folder above it is covered.
int take(const ShownPath& shown, bool own_user) {
  bool writable = shown.kind == ShownPath::Kind::kWritable;
  if (!shown.overlay.empty()) {
    char options[3 * PATH_MAX];
    const char* more = own_user ? ",userxattr" : "";
    const std::size_t length = shown.overlay.size();
    if (length + std::strlen(more) < sizeof options) {
      std::memcpy(options, shown.overlay.c_str(), length + 1);
      std::strcat(options, more);
      writable = ::mount("overlay", shown.path.c_str(), "overlay", MS_NODEV, options) == 0;
    }
  }
  const int fd = ::open_tree(AT_FDCWD, shown.path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  if (fd < 0 || writable) return fd;
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (::mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes) != 0) return -1;
  return fd;
}

}  // namespace

bool is_below(const fs::path& path, const fs::path& folder) {
  return is_text_below(path.native(), folder.native());
}

void show_home(const fs::path& hidden, std::vector<ShownPath>& shown) {
  const char* given = std::getenv("HOME");
  std::error_code error;
  const fs::path home = given ? fs::weakly_canonical(given, error) : fs::path();
  if (home.empty() || !is_below(home, hidden)) return;
  if (home != hidden) return shown.push_back({home.string()});
  for (const auto& entry : fs::directory_iterator(hidden, error)) {
    const bool is_users = entry.path().filename().string().starts_with(".") && entry.is_directory(error);
    if (is_users) shown.push_back({entry.path().string()});
  }
}

Result<HiddenFolders> hide_folders(const std::vector<fs::path>& folders, std::vector<ShownPath> shown) {
  HiddenFolders hidden;
  std::set<std::string> all;
  for (const auto& folder : folders) add_folder(folder, all);
  // Sorted, so that one below another comes after it.
  for (const auto& folder : all) {
    if (!has_hidden(hidden.folders, folder)) hidden.folders.push_back(folder);
  }
  std::set<std::string> seen;
  RealPaths real_paths;
  for (auto& one : shown) {
    const auto real = real_paths.find(one.path);
    if (!real) continue;
    one.is_file = !real->is_folder;
    // A program may know it by the path it was given, or by the one behind links.
    const std::string given = one.path == real->path ? one.path : fs::path(one.path).lexically_normal().string();
    for (const auto& path : {given, real->path}) {
      if (!has_hidden(hidden.folders, path) || !seen.insert(path).second) continue;
      ShownPath copy = one;
      copy.path = path;
      if (one.kind == ShownPath::Kind::kScratch && path == real->path) ROOST_CHECK(add_layers(copy));
      hidden.shown.push_back(std::move(copy));
    }
  }
  std::sort(hidden.shown.begin(), hidden.shown.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  if (hidden.shown.size() > kMostShown) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("a run may have at most {} inputs", kMostShown / 2));
  }
  return hidden;
}

const char* cover_folders(const HiddenFolders& hidden, bool own_user) {
  int taken[kMostShown];
  for (std::size_t i = 0; i < hidden.shown.size(); ++i) {
    taken[i] = take(hidden.shown[i], own_user);
    if (taken[i] < 0) return hidden.shown[i].path.c_str();
  }
  for (const auto& folder : hidden.folders) {
    if (::mount("tmpfs", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") != 0) {
      return "hide the data folder";
    }
  }
  for (std::size_t i = 0; i < hidden.shown.size(); ++i) {
    const ShownPath& shown = hidden.shown[i];
    std::size_t there = i == 0 ? 0 : common_folders(shown.path.c_str(), hidden.shown[i - 1].path.c_str());
    for (const auto& folder : hidden.folders) {
      if (is_text_below(shown.path, folder)) there = std::max(there, folder.size() + 1);
    }
    if (!make_place(shown.path.c_str(), there, shown.is_file) ||
        ::move_mount(taken[i], "", AT_FDCWD, shown.path.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0) {
      return shown.path.c_str();
    }
    ::close(taken[i]);
  }
  // What is written beside the shown folders would be lost without a word.
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  for (const auto& folder : hidden.folders) {
    if (::mount_setattr(AT_FDCWD, folder.c_str(), 0, &attributes, sizeof attributes) != 0) return "hide the data folder";
  }
  return nullptr;
}

}  // namespace roost
