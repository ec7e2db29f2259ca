#include "base/append_large.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/files.h"

namespace roost {
namespace {

constexpr std::size_t kBlock = 4096;     // what disks and file systems want their places and sizes to be a multiple of
constexpr std::size_t kBuffer = 1 << 20;  // and less than this is not worth it

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};

// The bytes that could be written directly; fewer than there are once the file system would rather not.
std::size_t write_directly(int fd, std::string_view bytes) {
  thread_local std::unique_ptr<char, Free> buffer(static_cast<char*>(std::aligned_alloc(kBlock, kBuffer)));
  const int flags = ::fcntl(fd, F_GETFL);
  if (!buffer || flags < 0 || ::fcntl(fd, F_SETFL, flags | O_DIRECT) != 0) return 0;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const std::size_t size = std::min(kBuffer, bytes.size() - done);
    std::memcpy(buffer.get(), bytes.data() + done, size);
    const ssize_t put = ::write(fd, buffer.get(), size);
    if (put < 0 && errno == EINTR) continue;
    if (put > 0) done += static_cast<std::size_t>(put);
    if (put < 0 || static_cast<std::size_t>(put) != size) break;  // the rest, and why it does not go, is told without it
  }
  ::fcntl(fd, F_SETFL, flags);
  return done;
}

}  // namespace

Status append_large(int fd, std::uint64_t size, std::string_view bytes, std::string_view what) {
  const std::size_t head = (kBlock - size % kBlock) % kBlock;
  if (bytes.size() < kBuffer + head) return write_all(fd, bytes, what);
  ROOST_CHECK(write_all(fd, bytes.substr(0, head), what));
  bytes.remove_prefix(head);
  bytes.remove_prefix(write_directly(fd, bytes.substr(0, bytes.size() - bytes.size() % kBlock)));
  return write_all(fd, bytes, what);
}

}  // namespace roost
