#include "blobs/blob_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/log.h"

namespace fs = std::filesystem;

namespace roost {

Result<std::unique_ptr<BlobStore>> BlobStore::open(const fs::path& folder, const Clock& clock) {
  std::unique_ptr<BlobStore> store(new BlobStore(folder, clock));
  for (const char* part : {"new", "partial", "temporary"}) ROOST_CHECK(make_folders(folder / part));
  for (int i = 0; i < 256; ++i) {
    const auto shard = folder / fmt::format("{:02x}", i);
    if (::mkdir(shard.c_str(), 0755) != 0 && errno != EEXIST) {
      return fail_errno(errno, "make the folder " + shard.string());
    }
  }
  ROOST_CHECK(store->recover());
  return store;
}

// A name in `new/` may stand for bytes that power loss took: keep it only if they still hash to it.
Status BlobStore::recover() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_ / "temporary", error)) {
    ::unlink(entry.path().c_str());
  }
  for (const auto& entry : fs::directory_iterator(folder_ / "new", error)) {
    const std::string digest = entry.path().filename();
    const auto actual = sha256_file(entry.path());
    if (actual && *actual == digest) {
      unsynced_.insert(digest);
    } else {
      log_warning("blob {} was cut off by a crash and is dropped; it will be uploaded again", digest);
      ::unlink(entry.path().c_str());
    }
  }
  if (error) return fail_errno(error.value(), "read " + (folder_ / "new").string());
  return sync();
}

fs::path BlobStore::place(std::string_view digest) const {
  return folder_ / digest.substr(0, 2) / digest.substr(2);
}

Result<fs::path> BlobStore::path(std::string_view digest) const {
  if (!is_digest(digest)) {
    return fail(ErrorCode::kInvalidArgument, "a blob is named by 64 lower-case hex digits");
  }
  for (const auto& candidate : {place(digest), fresh(digest), place(digest)}) {
    if (::access(candidate.c_str(), F_OK) == 0) return candidate;
  }
  return fail(ErrorCode::kNotFound, fmt::format("there is no blob {}", digest));
}

bool BlobStore::has(std::string_view digest) const {
  const auto found = path(digest);
  return found && ::utimensat(AT_FDCWD, found->c_str(), nullptr, 0) == 0;
}

Result<std::uint64_t> BlobStore::size(std::string_view digest) const {
  ROOST_TRY(const Fd fd, open_blob(digest));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, "read a blob");
  return static_cast<std::uint64_t>(info.st_size);
}

Result<Fd> BlobStore::open_blob(std::string_view digest) const {
  // sync() may move it between looking and opening.
  for (int tries = 0;; ++tries) {
    ROOST_TRY(const fs::path file, path(digest));
    Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd) return fd;
    if (tries == 3) return fail_errno(errno, "read blob " + std::string(digest));
  }
}

Result<std::string> BlobStore::read(std::string_view digest) const {
  ROOST_TRY(const fs::path file, path(digest));
  return read_file(file);
}

Status BlobStore::put(std::string_view digest, std::string_view bytes) {
  if (sha256_hex(bytes) != digest) {
    return fail(ErrorCode::kDataMismatch,
                fmt::format("the bytes sent as blob {} have another SHA-256; send the file again "
                            "(it may have changed while it was read)",
                            digest.substr(0, 64)));
  }
  const auto held = Hold(collecting_);
  if (has(digest)) return {};
  const fs::path temporary = folder_ / "temporary" / random_hex(8);
  const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
  if (!fd) return fail_errno(errno, "write a blob");
  if (auto put = write_all(fd.get(), bytes, "a blob"); !put) {
    ::unlink(temporary.c_str());
    return put;
  }
  if (::rename(temporary.c_str(), fresh(digest).c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return fail_errno(error, "write a blob");
  }
  arrived(std::string(digest));
  return {};
}

Result<std::string> BlobStore::put(std::string_view bytes) {
  std::string digest = sha256_hex(bytes);
  ROOST_CHECK(put(digest, bytes));
  return digest;
}

Status BlobStore::adopt(const std::string& digest, const fs::path& file) {
  const auto held = Hold(collecting_);
  if (has(digest)) {
    ::unlink(file.c_str());
    return {};
  }
  ::chmod(file.c_str(), 0444);
  if (::rename(file.c_str(), fresh(digest).c_str()) != 0) return fail_errno(errno, "write a blob");
  arrived(digest);
  return {};
}

void BlobStore::arrived(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  unsynced_.insert(digest);
}

BlobStore::Upload::Upload(Upload&& other) noexcept
    : store_(std::exchange(other.store_, nullptr)),
      digest_(std::move(other.digest_)),
      fd_(std::move(other.fd_)),
      hash_(std::move(other.hash_)),
      received_(other.received_) {}

BlobStore::Upload::~Upload() {
  if (!store_) return;
  const std::lock_guard lock(store_->mutex_);
  store_->uploading_.erase(digest_);
}

Result<BlobStore::Upload> BlobStore::begin_upload(std::string_view digest) {
  if (!is_digest(digest)) {
    return fail(ErrorCode::kInvalidArgument, "a blob is named by 64 lower-case hex digits");
  }
  {
    const std::lock_guard lock(mutex_);
    if (!uploading_.insert(std::string(digest)).second) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("blob {} is being uploaded by someone else; try again later", digest));
    }
  }
  Upload upload(*this, std::string(digest));
  upload.fd_.reset(::open(partial(digest).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0444));
  if (!upload.fd_) return fail_errno(errno, "write a blob");
  std::string buffer(256 * 1024, '\0');
  for (;;) {
    const ssize_t got = ::read(upload.fd_.get(), buffer.data(), buffer.size());
    if (got < 0) return fail_errno(errno, "read a blob");
    if (got == 0) break;
    upload.hash_.update({buffer.data(), static_cast<std::size_t>(got)});
    upload.received_ += static_cast<std::uint64_t>(got);
  }
  return upload;
}

Status BlobStore::Upload::append(std::string_view bytes) {
  ROOST_CHECK(write_all(fd_.get(), bytes, "a blob"));
  hash_.update(bytes);
  received_ += bytes.size();
  return {};
}

Status BlobStore::Upload::finish() {
  const fs::path file = store_->partial(digest_);
  if (hash_.hex() != digest_) {
    ::unlink(file.c_str());
    return fail(ErrorCode::kDataMismatch,
                fmt::format("the bytes sent as blob {} have another SHA-256; send the file again "
                            "(it may have changed while it was read)",
                            digest_));
  }
  const auto held = Hold(store_->collecting_);
  if (::rename(file.c_str(), store_->fresh(digest_).c_str()) != 0) {
    return fail_errno(errno, "write a blob");
  }
  store_->arrived(digest_);
  return {};
}

std::uint64_t BlobStore::received(std::string_view digest) const {
  struct stat info {};
  return is_digest(digest) && ::stat(partial(digest).c_str(), &info) == 0
             ? static_cast<std::uint64_t>(info.st_size)
             : 0;
}

Status BlobStore::sync() {
  const std::lock_guard one_at_a_time(syncing_);
  std::set<std::string> batch;
  {
    const std::lock_guard lock(mutex_);
    batch = unsynced_;
  }
  if (batch.empty()) return {};
  // Few blobs are synced one by one; many at once by the file system as a whole.
  if (batch.size() <= 4) {
    for (const auto& digest : batch) {
      const Fd fd(::open(fresh(digest).c_str(), O_RDONLY | O_CLOEXEC));
      if (!fd || ::fdatasync(fd.get()) != 0) return fail_errno(errno, "sync a blob");
    }
  } else {
    const Fd folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder || ::syncfs(folder.get()) != 0) return fail_errno(errno, "sync the blobs");
  }
  const std::lock_guard lock(mutex_);
  for (const auto& digest : batch) {
    if (::rename(fresh(digest).c_str(), place(digest).c_str()) != 0) {
      return fail_errno(errno, "store a blob");
    }
    unsynced_.erase(digest);
  }
  return sync_folder(folder_ / "new");
}

Result<BlobStore::Collected> BlobStore::collect(
    Micros grace, const std::function<Result<std::set<std::string>>()>& wanted) {
  ROOST_CHECK(sync());
  const std::unique_lock alone(collecting_);
  ROOST_TRY(const auto keep, wanted());
  const Micros oldest = clock_.now() - grace;
  const auto is_old = [&](const fs::path& file, std::uint64_t& size) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0) return false;
    size = static_cast<std::uint64_t>(info.st_size);
    return info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec / 1000 <= oldest;
  };
  Collected report;
  std::error_code error;
  for (int i = 0; i < 256; ++i) {
    const std::string shard = fmt::format("{:02x}", i);
    for (const auto& entry : fs::directory_iterator(folder_ / shard, error)) {
      std::uint64_t size = 0;
      if (keep.contains(shard + entry.path().filename().string()) || !is_old(entry.path(), size)) {
        ++report.kept;
      } else if (::unlink(entry.path().c_str()) == 0) {
        ++report.removed;
        report.bytes += size;
      }
    }
  }
  const std::lock_guard lock(mutex_);
  for (const auto& entry : fs::directory_iterator(folder_ / "partial", error)) {
    std::uint64_t size = 0;
    if (!uploading_.contains(entry.path().filename()) && is_old(entry.path(), size) &&
        ::unlink(entry.path().c_str()) == 0) {
      report.bytes += size;
    }
  }
  if (error) return fail_errno(error.value(), "read the blobs");
  return report;
}

}  // namespace roost
