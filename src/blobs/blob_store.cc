#include "blobs/blob_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/inside_write.h"
#include "base/log.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

Error bad_name() {
  return {ErrorCode::kInvalidArgument, "a blob is named by 64 lower-case hex digits"};
}

Error other_bytes(std::string_view digest) {
  return {ErrorCode::kDataMismatch,
          fmt::format("the bytes sent as blob {} have another SHA-256; send the file again (it may have "
                      "changed while it was read)",
                      digest.substr(0, 64))};
}

}  // namespace

Result<std::unique_ptr<BlobStore>> BlobStore::open(const fs::path& folder, const Clock& clock,
                                                   StoreFiles& files, std::chrono::seconds lease) {
  std::unique_ptr<BlobStore> store(new BlobStore(folder, clock, files, lease));
  for (const char* part : {"new", "partial", "temporary", "damaged"}) ROOST_CHECK(make_folders(folder / part));
  bool is_new = false;
  for (int i = 0; i < 256; ++i) {
    const auto shard = folder / fmt::format("{:02x}", i);
    if (::mkdir(shard.c_str(), 0755) == 0) {
      is_new = true;
    } else if (errno != EEXIST) {
      return fail_errno(errno, "make the folder " + shard.string());
    }
  }
  if (is_new && files.sync_folder(folder) != 0) return fail_errno(errno, "sync " + folder.string());
  store->partials_.open();
  store->recover();
  return store;
}

fs::path BlobStore::place(std::string_view digest) const {
  return folder_ / digest.substr(0, 2) / digest.substr(2);
}

Result<fs::path> BlobStore::path(std::string_view digest) const {
  check_outside_write("looks for a blob");
  if (!is_digest(digest)) return fail(bad_name());
  for (const auto& candidate : {place(digest), fresh(digest), place(digest)}) {
    if (::access(candidate.c_str(), F_OK) == 0) return candidate;
  }
  return fail(missing(digest));
}

Error BlobStore::missing(std::string_view digest) const {
  if (::access(damaged(digest).c_str(), F_OK) != 0) {
    return {ErrorCode::kNotFound, fmt::format("there is no blob {}", digest)};
  }
  return {ErrorCode::kNotFound,
          fmt::format("blob {} was damaged on the server's disk; upload the same bytes again to repair it", digest)};
}

Result<std::uint64_t> BlobStore::size(std::string_view digest) const {
  touch(digest);
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

Status BlobStore::put(std::string_view digest, std::string_view bytes) {
  check_outside_write("stores a blob");
  if (sha256_hex(bytes) != digest) return fail(other_bytes(digest));
  touch(digest);
  const std::string name(digest);
  if (is_known(name) || (exists(digest) && verify(digest))) return {};
  const fs::path temporary = scratch();
  const Fd fd(files_.open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600));
  if (!fd) return fail_errno(errno, "write a blob");
  Status put = write_whole(files_, fd.get(), bytes);
  if (put && files_.chmod(fd.get(), 0444) != 0) put = fail_errno(errno, "write a blob");
  if (put) put = publish(temporary, name);
  if (!put) files_.unlink(temporary);
  return put;
}

Result<std::string> BlobStore::put(std::string_view bytes) {
  std::string digest = sha256_hex(bytes);
  ROOST_CHECK(put(digest, bytes));
  return digest;
}

Status BlobStore::adopt(const std::string& digest, const fs::path& file) {
  check_outside_write("stores a blob");
  touch(digest);
  if (is_known(digest)) {
    files_.unlink(file);
    return {};
  }
  ::chmod(file.c_str(), 0444);
  return publish(file, digest);
}

// A file and the note that it has to be synced come in one step: sync() must not find one without the
// other. One that is waiting there already is not replaced, for sync() may be at it.
Status BlobStore::publish(const fs::path& file, const std::string& digest) {
  const std::lock_guard lock(mutex_);
  leases_.touch(digest, std::chrono::steady_clock::now());
  if (unsynced_.contains(digest) && exists(digest)) {
    files_.unlink(file);
    return {};
  }
  if (files_.rename(file, fresh(digest)) != 0) return fail_errno(errno, "write a blob");
  unsynced_.insert(digest);
  struct stat info {};
  if (::stat(fresh(digest).c_str(), &info) == 0) known_.add(digest, looks_of(info));
  return {};
}

Result<BlobStore::Upload> BlobStore::begin_upload(std::string_view digest, std::uint64_t offset) {
  if (!is_digest(digest)) return fail(bad_name());
  ROOST_TRY(auto partial, partials_.begin(std::string(digest), offset));
  Upload upload(*this, std::move(partial));
  touch(digest);
  upload.was_stored_ = exists(digest);
  return upload;
}

BlobStore::Upload::~Upload() {
  if (partial_) store_->partials_.leave(*partial_);
}

Status BlobStore::Upload::append(std::string_view bytes) {
  return store_->partials_.append(*partial_, bytes);
}

bool BlobStore::Upload::is_overtaken() const {
  return !was_stored_ && store_->is_known(partial_->digest);
}

void BlobStore::Upload::forget() {
  store_->files_.unlink(partial_->file);
  store_->partials_.finished(*partial_);
}

Status BlobStore::Upload::finish() {
  PartialUpload& upload = *partial_;
  const std::string hash = upload.hash.hex();
  if (hash != upload.digest) {
    store_->partials_.drop(upload);
    return fail(other_bytes(upload.digest));
  }
  store_->touch(upload.digest);
  if (store_->is_known(upload.digest)) {
    forget();
    return {};
  }
  if (store_->files_.chmod(upload.fd.get(), 0444) != 0) return fail_errno(errno, "write a blob");
  ROOST_CHECK(store_->publish(upload.file, upload.digest));
  store_->partials_.finished(upload);
  return {};
}

BlobStore::UploadState BlobStore::upload_state(std::string_view digest) const {
  UploadState state;
  state.is_stored = has(digest);
  if (state.is_stored) return state;
  const auto partial = partials_.state(std::string(digest));
  state.is_active = partial.is_active;
  state.received = partial.received;
  return state;
}

}  // namespace roost
