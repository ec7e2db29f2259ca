#include "blobs/store_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>

#include "base/files.h"
#include "base/inside_write.h"

namespace roost {

int StoreFiles::open(const std::filesystem::path& path, int flags, unsigned mode) {
  check_outside_write("opens a blob");
  return ::open(path.c_str(), flags | O_CLOEXEC, mode);
}

ssize_t StoreFiles::write(int fd, const void* bytes, std::size_t size) {
  return ::write(fd, bytes, size);
}

int StoreFiles::truncate(int fd, off_t size) { return ::ftruncate(fd, size); }

int StoreFiles::chmod(int fd, unsigned mode) { return ::fchmod(fd, mode); }

int StoreFiles::sync_file(int fd) { return ::fdatasync(fd); }

int StoreFiles::sync_folder(const std::filesystem::path& folder) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return fd ? ::fsync(fd.get()) : -1;
}

int StoreFiles::sync_all(const std::filesystem::path& folder) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return fd ? ::syncfs(fd.get()) : -1;
}

int StoreFiles::rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  return ::rename(from.c_str(), to.c_str());
}

int StoreFiles::unlink(const std::filesystem::path& path) { return ::unlink(path.c_str()); }

StoreFiles& real_files() {
  static StoreFiles files;
  return files;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto it = std::filesystem::directory_iterator(folder, error);
       !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    names.push_back(it->path().filename());
  }
  return names;
}

Result<std::uint64_t> read_pieces(int fd, std::uint64_t limit,
                                  const std::function<Status(std::string_view)>& each) {
  std::string buffer(256 * 1024, '\0');
  std::uint64_t at = 0;
  while (at < limit) {
    const auto want = std::min<std::uint64_t>(buffer.size(), limit - at);
    const ssize_t got = ::pread(fd, buffer.data(), want, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "read a blob");
    if (got == 0) break;
    ROOST_CHECK(each(std::string_view(buffer.data(), static_cast<std::size_t>(got))));
    at += static_cast<std::uint64_t>(got);
  }
  return at;
}

Status write_whole(StoreFiles& files, int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = files.write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail_errno(errno, "write a blob");
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

}  // namespace roost
