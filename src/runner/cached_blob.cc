#include "runner/cached_blob.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "runner/scratch_file.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::uint64_t kSmall = 1 << 20;

// The time of the last change of any kind is none that a program can set.
std::string stamp_of(const struct stat& info) {
  return fmt::format("{} {} {}.{:09} {}.{:09}\n", info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                     info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
}

fs::path note_of(const fs::path& file) { return file.string() + ".checked"; }

bool has_digest(int fd, const std::string& digest) {
  Sha256 hash;
  std::string buffer(1 << 18, '\0');
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0) return false;
    if (got == 0) return hash.hex() == digest;
    hash.update(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
  }
}

}  // namespace

bool is_intact(const fs::path& file, const std::string& digest, std::uint64_t size) {
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      static_cast<std::uint64_t>(info.st_size) != size) {
    return false;
  }
  if (size > kSmall) {
    if (const auto note = read_file(note_of(file)); note && *note == stamp_of(info)) return true;
  }
  if (!has_digest(fd.get(), digest)) return false;
  if (size > kSmall) (void)write_scratch_file(note_of(file), stamp_of(info));
  return true;
}

void note_intact(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0 || static_cast<std::uint64_t>(info.st_size) <= kSmall) return;
  (void)write_scratch_file(note_of(file), stamp_of(info));
}

}  // namespace roost
