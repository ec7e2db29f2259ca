#include "runner/image_root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include <fmt/format.h>

#include "base/files.h"
#include "domain/docker_arguments.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr int kUser = 1000;
constexpr std::uint64_t kSharedMemory = 2ULL << 30;
constexpr std::size_t kMostBinds = 256;
constexpr std::array kDevices = {"null", "zero", "full", "random", "urandom", "tty"};

bool is_here(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// Opens a file of the image, whose links then lead nowhere but into the image.
Fd open_in_image(const fs::path& root, const std::string& path, std::uint64_t flags) {
  const Fd folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return Fd(static_cast<int>(::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how)));
}

std::string read_in_image(const fs::path& root, const std::string& path) {
  const Fd fd = open_in_image(root, path, O_RDONLY | O_NONBLOCK);
  std::string text(1 << 20, '\0');
  const ssize_t count = fd ? ::read(fd.get(), text.data(), text.size()) : 0;
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

// Not synced to disk: it goes with the attempt, and syncing would cost more than all the rest.
Status write_quickly(const fs::path& path, std::string_view text) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd) return fail_errno(errno, "write " + path.string());
  return write_all(fd.get(), text, path.string());
}

// A file of the image with a line more, in the upper layer of the overlay; as it is if it names the id.
Status add_line(const fs::path& root, const fs::path& upper, const std::string& name, const std::string& id,
                const std::string& line) {
  std::string text = read_in_image(root, name);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view entry = std::string_view(text).substr(at, end - at);
    const auto first = entry.find(':');
    const auto second = first == std::string_view::npos ? first : entry.find(':', first + 1);
    if (second != std::string_view::npos && entry.substr(second + 1).starts_with(id + ":")) return {};
    at = end + 1;
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  return write_quickly(upper / name, text + line + "\n");
}

Status fill_upper(const fs::path& root, const fs::path& upper, int user, int group) {
  ROOST_CHECK(make_folders(upper / "etc"));
  for (const char* name : {"etc/resolv.conf", "etc/hosts"}) {
    if (const auto text = read_file(fs::path("/") / name)) ROOST_CHECK(write_quickly(upper / name, *text));
  }
  const std::string uid = std::to_string(user);
  const std::string gid = std::to_string(group);
  ROOST_CHECK(add_line(root, upper, "etc/passwd", uid,
                       fmt::format("roost:x:{}:{}::{}:/bin/sh", uid, gid, kImageHome)));
  return add_line(root, upper, "etc/group", gid, fmt::format("roost:x:{}:", gid));
}

void add_gpu_devices(std::vector<ImageBind>& binds) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("nvidia")) continue;
    binds.push_back({entry.path(), entry.path(), false, !entry.is_directory(error)});
  }
}

// From here on: only what may be called in a bare copy of a process with threads.

// Makes every folder on the way to `path`, and an empty file at its end if it is to be one.
bool make_place(const char* path, bool is_file) {
  char text[PATH_MAX];
  const std::size_t length = std::strlen(path);
  if (length == 0 || length >= sizeof text) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::memcpy(text, path, length + 1);
  for (std::size_t i = 1; i <= length; ++i) {
    if (text[i] != '/' && text[i] != '\0') continue;
    const bool last = i == length;
    text[i] = '\0';
    if (last && is_file) {
      const int fd = ::open(text, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
      if (fd < 0) return false;
      ::close(fd);
    } else if (::mkdir(text, 0755) != 0 && errno != EEXIST) {
      return false;
    }
    if (!last) text[i] = '/';
  }
  return true;
}

int clone_mount(const char* path, bool read_only) {
  const int fd = ::open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  if (fd < 0) return fd;
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_NOSUID | (read_only ? MOUNT_ATTR_RDONLY : 0U);
  if (::mount_setattr(fd, "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0) return -1;
  return fd;
}

bool attach(int fd, const char* at, bool is_file) {
  return make_place(at, is_file) && ::move_mount(fd, "", AT_FDCWD, at, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

bool mount_new(const char* type, const char* at, unsigned long flags, const char* options) {
  return make_place(at, false) && ::mount(type, at, type, flags, options) == 0;
}

}  // namespace

bool is_in_image(const fs::path& root, const std::string& path) {
  return static_cast<bool>(open_in_image(root, path, O_PATH));
}

Result<ImageRoot> make_image_root(const Json& image, const fs::path& folder, std::vector<ImageBind> binds) {
  const fs::path root = text_at(image, "root");
  if (!is_here(root)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the image's root folder {} is gone; submit again and it is built again", root.string()));
  }
  for (const auto& path : {root, folder}) {
    if (path.string().find_first_of(",:\\") != std::string::npos) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{} cannot hold images: overlayfs allows no ',', ':' or '\\' in a path; move the "
                              "data folder",
                              path.string()));
    }
  }
  ImageRoot made;
  if (::geteuid() == 0) made.user = made.group = kUser;
  for (const char* name : {"upper", "work", "root", "tmp", "var-tmp", "home"}) {
    ROOST_CHECK(make_folders(folder / name));
  }
  ROOST_CHECK(fill_upper(root, folder / "upper", made.user < 0 ? static_cast<int>(::geteuid()) : made.user,
                         made.group < 0 ? static_cast<int>(::getegid()) : made.group));
  made.overlay = fmt::format("lowerdir={},upperdir={},workdir={}", root.string(), (folder / "upper").string(),
                             (folder / "work").string());
  made.overlay_as_user = made.overlay + ",userxattr";
  made.place = folder / "root";
  made.shm = fmt::format("mode=1777,size={}", parse_size(text_at(image, "shm_size")).value_or(kSharedMemory));
  for (const auto& [name, at] : {std::pair("tmp", "/tmp"), std::pair("var-tmp", "/var/tmp")}) {
    if (::chmod((folder / name).c_str(), 01777) != 0) return fail_errno(errno, "make the run's own /tmp");
    made.binds.push_back({folder / name, at, false, false});
  }
  made.binds.push_back({folder / "home", kImageHome, false, false});
  for (const char* device : kDevices) {
    const std::string path = std::string("/dev/") + device;
    if (is_here(path)) made.binds.push_back({path, path, false, true});
  }
  add_gpu_devices(made.binds);
  for (auto& bind : binds) {
    if (bind.at.empty()) bind.at = bind.source;
    made.binds.push_back(std::move(bind));
  }
  if (made.binds.size() > kMostBinds) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("a run in an image may have at most {} inputs", kMostBinds / 2));
  }
  ROOST_CHECK(give_to_user(made, folder / "home"));
  return made;
}

Status give_to_user(const ImageRoot& root, const fs::path& tree) {
  if (root.user < 0) return {};
  const auto give = [&](const fs::path& path) -> Status {
    if (::lchown(path.c_str(), static_cast<uid_t>(root.user), static_cast<gid_t>(root.group)) == 0) return {};
    return fail_errno(errno, "give " + path.string() + " to the run");
  };
  std::error_code error;
  if (!fs::exists(fs::symlink_status(tree, error))) return {};
  ROOST_CHECK(give(tree));
  if (fs::is_symlink(tree, error) || !fs::is_directory(tree, error)) return {};
  for (auto it = fs::recursive_directory_iterator(tree, error); !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    ROOST_CHECK(give(it->path()));
  }
  if (error) return fail_errno(error.value(), "give " + tree.string() + " to the run");
  return {};
}

const char* enter_image_root(const ImageRoot& root, bool own_user) {
  const char* options = own_user ? root.overlay_as_user.c_str() : root.overlay.c_str();
  if (::mount("overlay", root.place.c_str(), "overlay", MS_NODEV | MS_NOSUID, options) != 0) {
    return "lay the image's files out (overlayfs)";
  }
  // What is bound is taken before the way out is closed, and put in place after: then no link of the
  // image leads out of it.
  int taken[kMostBinds];
  std::size_t count = 0;
  for (const auto& bind : root.binds) {
    taken[count] = clone_mount(bind.source.c_str(), bind.read_only);
    if (taken[count] < 0) return bind.source.c_str();
    ++count;
  }
  if (::chdir(root.place.c_str()) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0) return "change into the image";
  if (!mount_new("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr)) return "mount /proc of the image";
  // A network that is not ours, as in a container, forbids this one; programs do without.
  (void)mount_new("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, nullptr);
  if (!mount_new("tmpfs", "/dev", MS_NOSUID, "mode=755,size=64k")) return "mount /dev of the image";
  if (!mount_new("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, root.shm.c_str())) return "mount /dev/shm of the image";
  if (mount_new("devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")) {
    (void)!::symlink("pts/ptmx", "/dev/ptmx");
  }
  (void)!::symlink("/proc/self/fd", "/dev/fd");
  (void)!::symlink("/proc/self/fd/0", "/dev/stdin");
  (void)!::symlink("/proc/self/fd/1", "/dev/stdout");
  (void)!::symlink("/proc/self/fd/2", "/dev/stderr");
  for (std::size_t i = 0; i < count; ++i) {
    if (!attach(taken[i], root.binds[i].at.c_str(), root.binds[i].is_file)) return root.binds[i].at.c_str();
    ::close(taken[i]);
  }
  if (::umount2(".", MNT_DETACH) != 0) return "leave this machine's files";
  if (::chdir("/") != 0) return "change into the image";
  return nullptr;
}

}  // namespace roost
