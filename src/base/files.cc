#include "base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/digest.h"
#include "base/inside_write.h"

namespace fs = std::filesystem;

namespace roost {

void Fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Result<std::string> read_file(const fs::path& path) {
  check_outside_write("reads a file");
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail_errno(errno, "read " + path.string());
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, "read " + path.string());
  std::string out;
  // Files of /proc say they are empty.
  out.resize(info.st_size > 0 ? static_cast<std::size_t>(info.st_size) + 1 : 8192);
  std::size_t have = 0;
  for (;;) {
    if (have == out.size()) out.resize(out.size() * 2);
    const ssize_t got = ::read(fd.get(), out.data() + have, out.size() - have);
    if (got < 0) {
      if (errno == EINTR) continue;
      return fail_errno(errno, "read " + path.string());
    }
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  out.resize(have);
  return out;
}

Status write_all(int fd, std::string_view bytes, std::string_view what) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0) {
      if (errno == EINTR) continue;
      return fail_errno(errno, std::string("write ") + std::string(what));
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Status write_file_atomic(const fs::path& path, std::string_view bytes, unsigned mode) {
  check_outside_write("writes a file");
  const fs::path temporary = path.string() + ".tmp-" + random_hex(6);
  const auto give_up = [&](Error error) {
    ::unlink(temporary.c_str());
    return fail(std::move(error));
  };
  {
    const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!fd) return fail_errno(errno, "write " + temporary.string());
    if (auto put = write_all(fd.get(), bytes, temporary.string()); !put) return give_up(put.error());
    if (::fsync(fd.get()) != 0) return give_up(errno_error(errno, "sync " + temporary.string()));
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return give_up(errno_error(errno, "write " + path.string()));
  }
  return sync_folder(path.parent_path());
}

Status sync_folder(const fs::path& folder) {
  check_outside_write("syncs a folder");
  const Fd fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return fail_errno(errno, "sync " + folder.string());
  return {};
}

Status make_folders(const fs::path& folder) {
  check_outside_write("makes a folder");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail_errno(error.value(), "make the folder " + folder.string());
  return {};
}

Result<Fd> lock_file(const fs::path& path, const std::string& in_use) {
  check_outside_write("locks a file");
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return fail_errno(errno, "open " + path.string());
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return fail(ErrorCode::kFailedPrecondition, in_use);
    return fail_errno(errno, "lock " + path.string());
  }
  return fd;
}

bool is_safe_relative_path(std::string_view path) {
  if (path.empty() || path.size() > 4096 || path.find('\0') != std::string_view::npos) return false;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    if (part.empty() || part == "." || part == ".." || part.size() > 255) return false;
    start = end + 1;
  }
  return true;
}

}  // namespace roost
