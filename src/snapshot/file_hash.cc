#include "snapshot/file_hash.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/files.h"
#include "base/open_beneath.h"

namespace roost {
namespace {

constexpr int kTries = 3;
constexpr std::size_t kPiece = 256 * 1024;

tl::unexpected<Error> unreadable(int errnum) {
  return fail(errnum == ENOENT ? ErrorCode::kNotFound : ErrorCode::kPermissionDenied,
              fmt::format("cannot be read: {}", std::strerror(errnum)));
}

}  // namespace

FileHasher::FileHasher(int root) : root_(root), buffer_(kPiece) {}

Result<HashedFile> FileHasher::hash(const std::string& path) {
  for (int attempt = 1; attempt <= kTries; ++attempt) {
    const Fd fd = open_beneath(root_, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    struct stat info{};
    if (!fd || ::fstat(fd.get(), &info) != 0) return unreadable(errno);
    if (!S_ISREG(info.st_mode)) break;
    const FileStamp before = stamp_of(info);
    std::uint64_t size = 0;
    for (;;) {
      const ssize_t got = ::read(fd.get(), buffer_.data(), buffer_.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return unreadable(errno);
      if (got == 0) break;
      size += static_cast<std::uint64_t>(got);
      sha256_.update({buffer_.data(), static_cast<std::size_t>(got)});
      if (size > before.size) break;  // it grows; do not run after it
    }
    std::string digest = sha256_.hex();
    if (after_read_for_test) after_read_for_test(attempt);
    if (::fstat(fd.get(), &info) != 0) return unreadable(errno);
    if (size == before.size && stamp_of(info) == before)
      return HashedFile{std::move(digest), before};
  }
  return fail(ErrorCode::kFailedPrecondition, "keeps changing while it is read");
}

}  // namespace roost
