#include "base/copy_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/inside_write.h"

namespace fs = std::filesystem;

namespace roost {

Status copy_into(const fs::path& from, int to, const std::string& what, unsigned mode) {
  check_outside_write("copies a file");
  const Fd in(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in) return fail_errno(errno, "read " + from.string());
  if (::ioctl(to, FICLONE, in.get()) != 0) {
    for (;;) {
      const ssize_t moved =
          ::copy_file_range(in.get(), nullptr, to, nullptr, 1U << 30, 0);
      if (moved == 0) break;
      if (moved > 0) continue;
      if (errno == EINTR) continue;
      if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) {
        return fail_errno(errno, "write " + what);
      }
      char buffer[65536];
      for (;;) {
        const ssize_t got = ::read(in.get(), buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_errno(errno, "read " + from.string());
        if (got == 0) break;
        ROOST_CHECK(write_all(to, {buffer, static_cast<std::size_t>(got)}, what));
      }
      break;
    }
  }
  if (::fchmod(to, mode) != 0) return fail_errno(errno, "set the mode of " + what);
  return {};
}

Status copy_file(const fs::path& from, const fs::path& to, unsigned mode) {
  const Fd out(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (!out) return fail_errno(errno, "write " + to.string());
  return copy_into(from, out.get(), to.string(), mode);
}

}  // namespace roost
