#include "base/open_beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace roost {

Fd open_beneath(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_NOFOLLOW | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  long fd = 0;
  do {
    fd = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || errno == EAGAIN));
  // Old kernels do not know the call, old container filters forbid it.
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) return open_part_by_part(root, path, flags);
  return Fd(static_cast<int>(fd));
}

Fd open_part_by_part(int root, const std::string& path, int flags) {
  if (path != "." && !is_safe_relative_path(path)) {
    errno = path.size() > 4096 ? ENAMETOOLONG : EXDEV;
    return {};
  }
  Fd folder;
  std::size_t start = 0;
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', start)) {
    const std::string part = path.substr(start, slash - start);
    Fd next(::openat(folder ? folder.get() : root, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return {};
    folder = std::move(next);
    start = slash + 1;
  }
  return Fd(::openat(folder ? folder.get() : root, path.c_str() + start, flags | O_NOFOLLOW | O_CLOEXEC));
}

std::optional<PlainFile> open_plain_file(int root, const std::string& path) {
  PlainFile file;
  file.fd = open_beneath(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.fd || ::fstat(file.fd.get(), &file.info) != 0) return std::nullopt;
  if (S_ISREG(file.info.st_mode)) return file;
  errno = EINVAL;
  return std::nullopt;
}

std::string read_at(int fd, std::uint64_t offset, std::size_t limit) {
  std::string out(limit, '\0');
  std::size_t have = 0;
  while (have < out.size()) {
    const ssize_t got = ::pread(fd, out.data() + have, out.size() - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  out.resize(have);
  return out;
}

}  // namespace roost
