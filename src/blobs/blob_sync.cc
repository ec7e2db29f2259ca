#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/inside_write.h"
#include "base/log.h"
#include "blobs/blob_store.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

// So many files or folders are synced one by one; more of them by the file system as a whole.
constexpr std::size_t kFew = 4;

}  // namespace

// A name in `new/` may stand for bytes that power loss took: keep it only if they still hash to it. The
// process before may have failed to sync them, which the kernel no longer tells.
void BlobStore::recover() {
  for (const auto& name : names_in(folder_ / "temporary")) files_.unlink(folder_ / "temporary" / name);
  for (const auto& digest : names_in(folder_ / "new")) {
    const auto actual = sha256_file(fresh(digest));
    if (actual && *actual == digest) {
      unsynced_.insert(digest);
      doubtful_.insert(digest);
    } else {
      log_warning("blob {} was cut off by a crash and is dropped; it will be uploaded again", digest);
      files_.unlink(fresh(digest));
    }
  }
  // They can be read where they are; whoever wants to name one tries again.
  if (const Status synced = sync(); !synced) log_error("{}", synced.error().message);
}

Status BlobStore::sync() { return sync_some(nullptr); }

Status BlobStore::sync(const std::vector<std::string>& digests) { return sync_some(&digests); }

Status BlobStore::sync_some(const std::vector<std::string>* asked) {
  check_outside_write("syncs blobs");
  const std::lock_guard one_at_a_time(syncing_);
  std::set<std::string> batch;
  {
    const std::lock_guard lock(mutex_);
    const auto waits = [&](const std::string& digest) { return unsynced_.contains(digest); };
    if (asked && std::none_of(asked->begin(), asked->end(), waits)) return {};
    batch = unsynced_;
  }
  Failed failed;
  sync_bytes(batch, failed);
  sync_names(move_to_places(batch, failed), failed);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& digest : batch) {
      if (!failed.contains(digest)) unsynced_.erase(digest);
    }
  }
  if (!asked && !failed.empty()) return fail(failed.begin()->second);
  if (asked) {
    for (const auto& digest : *asked) {
      if (const auto found = failed.find(digest); found != failed.end()) return fail(found->second);
    }
  }
  return {};
}

void BlobStore::sync_bytes(const std::set<std::string>& batch, Failed& failed) {
  if (batch.size() > kFew && files_.sync_all(folder_) != 0) doubtful_.insert(batch.begin(), batch.end());
  for (const auto& digest : batch) {
    if (batch.size() > kFew && !doubtful_.contains(digest)) continue;
    const Fd fd(files_.open(fresh(digest), O_RDONLY, 0));
    if (!fd) {
      // That of a missing file is looked into by move_to_places().
      if (errno != ENOENT) failed.emplace(digest, errno_error(errno, "sync a blob"));
      continue;
    }
    if (!doubtful_.contains(digest) && files_.sync_file(fd.get()) != 0) doubtful_.insert(digest);
    if (!doubtful_.contains(digest)) continue;
    if (const Status written = write_again(digest, fd.get()); !written) failed.emplace(digest, written.error());
  }
}

// Once a sync has failed, the kernel takes the bytes for written: the next sync of the same file succeeds
// without them. Only a new file can be believed.
Status BlobStore::write_again(const std::string& digest, int from) {
  const fs::path temporary = scratch();
  const auto copy = [&]() -> Status {
    const Fd to(files_.open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600));
    if (!to) return fail_errno(errno, "write a blob");
    Sha256 hash;
    ROOST_CHECK(read_pieces(from, UINT64_MAX, [&](std::string_view piece) -> Status {
      hash.update(piece);
      return write_whole(files_, to.get(), piece);
    }));
    if (hash.hex() != digest) {
      const std::lock_guard lock(mutex_);
      files_.unlink(fresh(digest));
      unsynced_.erase(digest);
      doubtful_.erase(digest);
      return fail(ErrorCode::kInternal, fmt::format("the disk lost bytes of blob {}; send it again", digest));
    }
    if (files_.chmod(to.get(), 0444) != 0 || files_.sync_file(to.get()) != 0 ||
        files_.rename(temporary, fresh(digest)) != 0) {
      return fail_errno(errno, "write a blob");
    }
    doubtful_.erase(digest);
    struct stat info {};
    const std::lock_guard lock(mutex_);
    if (::fstat(to.get(), &info) == 0) known_.add(digest, looks_of(info));
    return {};
  };
  Status copied = copy();
  if (!copied) files_.unlink(temporary);
  return copied;
}

std::set<std::string> BlobStore::move_to_places(const std::set<std::string>& batch, Failed& failed) {
  std::set<std::string> moved;
  for (const auto& digest : batch) {
    if (failed.contains(digest)) continue;
    const std::lock_guard lock(mutex_);
    if (files_.rename(fresh(digest), place(digest)) == 0) {
      moved.insert(digest);
    } else if (errno != ENOENT) {
      failed.emplace(digest, errno_error(errno, "store a blob"));
    } else if (files_.rename(place(digest), fresh(digest)) == 0 &&
               files_.rename(fresh(digest), place(digest)) == 0) {
      moved.insert(digest);  // it stood there already, perhaps without the disk knowing it
    } else {
      log_error("the file of blob {} has gone; it will be uploaded again", digest);
      doubtful_.erase(digest);
    }
  }
  return moved;
}

void BlobStore::sync_names(const std::set<std::string>& moved, Failed& failed) {
  std::map<fs::path, std::vector<std::string>> shards;
  for (const auto& digest : moved) shards[place(digest).parent_path()].push_back(digest);
  if (shards.size() > kFew && files_.sync_all(folder_) == 0) return;
  const bool is_few = shards.size() <= kFew;
  for (const auto& [shard, digests] : shards) {
    if (is_few && files_.sync_folder(shard) == 0) continue;
    const Error error = errno_error(errno, "sync the folder " + shard.string());
    // Moved back and to their places again, they are a change that the next sync cannot take for
    // written.
    const std::lock_guard lock(mutex_);
    for (const auto& digest : digests) {
      files_.rename(place(digest), fresh(digest));
      failed.emplace(digest, error);
    }
  }
}

}  // namespace roost
