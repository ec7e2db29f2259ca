#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/log.h"
#include "blobs/blob_store.h"

namespace fs = std::filesystem;
using std::chrono::steady_clock;

namespace roost {
namespace {

// After a restart leases are known by the time of the file alone, which need not be exact.
constexpr std::int64_t kRefreshSeconds = 60;

}  // namespace

void BlobStore::touch(std::string_view digest) const {
  const std::lock_guard lock(mutex_);
  leases_.touch(std::string(digest), steady_clock::now());
}

bool BlobStore::is_known(const std::string& digest) const {
  const auto file = path(digest);
  struct stat info {};
  if (!file || ::stat(file->c_str(), &info) != 0) return false;
  const std::lock_guard lock(mutex_);
  return known_.seen(digest, looks_of(info)) == KnownBlobs::Seen::kSame;
}

// The lease is begun before the look: a sweep that comes between has removed it before the look.
bool BlobStore::has(std::string_view name) const {
  const std::string digest(name);
  if (!is_digest(digest)) return false;
  touch(digest);
  const auto file = path(digest);
  struct stat info {};
  if (!file || ::stat(file->c_str(), &info) != 0) return exists(digest);  // moved meanwhile, or gone
  {
    const std::lock_guard lock(mutex_);
    const auto seen = known_.seen(digest, looks_of(info));
    if (seen == KnownBlobs::Seen::kNever && !known_.may_read(info.st_size, steady_clock::now())) return true;
    if (seen != KnownBlobs::Seen::kSame) info.st_ino = 0;
  }
  if (info.st_ino == 0) return verify(digest);
  refresh(*file, info, digest);
  return true;
}

void BlobStore::refresh(const fs::path& file, struct stat& info, const std::string& digest) const {
  if (clock_.now() / kSecond - info.st_mtim.tv_sec < kRefreshSeconds) return;
  const FileLooks before = looks_of(info);
  const std::lock_guard lock(mutex_);
  if (::utimensat(AT_FDCWD, file.c_str(), nullptr, 0) != 0 || ::stat(file.c_str(), &info) != 0) return;
  const FileLooks after = looks_of(info);
  if (after.inode == before.inode && after.size == before.size) known_.add(digest, after);
}

Result<bool> BlobStore::has_bytes(const std::string& digest, int fd) const {
  Sha256 hash;
  ROOST_CHECK(read_pieces(fd, UINT64_MAX, [&](std::string_view piece) -> Status {
    hash.update(piece);
    return {};
  }));
  return hash.hex() == digest;
}

bool BlobStore::verify(std::string_view name) const {
  const std::string digest(name);
  // What was put aside may uncover a newer one that waits to be synced.
  for (int tries = 0; tries < 2; ++tries) {
    const auto fd = open_blob(digest);
    if (!fd) return false;
    struct stat info {};
    if (::fstat(fd->get(), &info) != 0) return false;
    const auto is_right = has_bytes(digest, fd->get());
    if (!is_right) return false;  // cannot be read now, which is no reason to take it away
    if (*is_right) {
      const std::lock_guard lock(mutex_);
      known_.add(digest, looks_of(info));
      return true;
    }
    put_aside(digest, fd->get());
  }
  return exists(digest);
}

void BlobStore::put_aside(std::string_view name, int fd) const {
  const std::string digest(name);
  struct stat bad {};
  if (::fstat(fd, &bad) != 0) return;
  const std::lock_guard lock(mutex_);
  known_.forget(digest);
  for (const auto& file : {place(digest), fresh(digest)}) {
    struct stat info {};
    // Only the file that was read: a good one may stand there by now.
    if (::stat(file.c_str(), &info) != 0 || info.st_ino != bad.st_ino) continue;
    if (files_.rename(file, damaged(digest)) != 0) continue;
    if (file == fresh(digest)) unsynced_.erase(digest);
    log_error("blob {} is damaged: its bytes on the disk are others; put aside as {}", digest,
              damaged(digest).string());
  }
}

Result<std::string> BlobStore::read(std::string_view digest) const {
  for (int tries = 0; tries < 2; ++tries) {
    ROOST_TRY(const Fd fd, open_blob(digest));
    std::string bytes;
    ROOST_CHECK(read_pieces(fd.get(), UINT64_MAX, [&](std::string_view piece) -> Status {
      bytes += piece;
      return {};
    }));
    if (sha256_hex(bytes) == digest) return bytes;
    put_aside(digest, fd.get());
  }
  return fail(missing(digest));
}

Result<std::string> BlobStore::read_damaged(std::string_view digest) const {
  return read_file(damaged(digest));
}

}  // namespace roost
