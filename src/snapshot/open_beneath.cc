#include "snapshot/open_beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace roost {

Fd open_beneath(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_NOFOLLOW | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  long fd = 0;
  do {
    fd = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || errno == EAGAIN));
  // Old kernels do not know the call, old container filters forbid it.
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
    fd = ::openat(root, path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
  }
  return Fd(static_cast<int>(fd));
}

}  // namespace roost
