#include "observe/log_times.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"

namespace roost {
namespace {

static_assert(sizeof(LogTime) == 16);

}  // namespace

Status append_log_time(const std::filesystem::path& file, const LogTime& time) {
  Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!fd && errno == ENOENT) {
    ROOST_CHECK(make_folders(file.parent_path()));
    fd.reset(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  }
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return fail_errno(errno, "write the times of a log");
  const off_t whole = info.st_size - info.st_size % static_cast<off_t>(sizeof time);
  const ssize_t wrote = ::pwrite(fd.get(), &time, sizeof time, whole);
  if (wrote != static_cast<ssize_t>(sizeof time)) {
    return fail_errno(wrote < 0 ? errno : ENOSPC, "write the times of a log");
  }
  return {};
}

Result<std::vector<LogTime>> read_log_times(const std::filesystem::path& file, std::uint64_t first,
                                            std::size_t limit) {
  std::vector<LogTime> times;
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    if (errno == ENOENT || errno == ENOTDIR) return times;
    return fail_errno(errno, "read the times of a log");
  }
  times.resize(limit);
  ssize_t got = 0;
  do {
    got = ::pread(fd.get(), times.data(), limit * sizeof(LogTime), static_cast<off_t>(first * sizeof(LogTime)));
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fail_errno(errno, "read the times of a log");
  times.resize(static_cast<std::size_t>(got) / sizeof(LogTime));
  return times;
}

}  // namespace roost
