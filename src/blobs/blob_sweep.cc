#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "blobs/blob_store.h"

namespace fs = std::filesystem;
using std::chrono::steady_clock;

namespace roost {

BlobStore::Hold::Hold(BlobStore& store) : store_(&store) {
  const std::lock_guard lock(store.mutex_);
  sweep_ = store.sweeps_;
  ++store.holds_[sweep_];
}

BlobStore::Hold::~Hold() {
  if (!store_) return;
  const std::lock_guard lock(store_->mutex_);
  if (--store_->holds_[sweep_] == 0) store_->holds_.erase(sweep_);
  store_->released_.notify_all();
}

BlobStore::Hold BlobStore::hold() {
  if (before_hold_) before_hold_();
  return Hold(*this);
}

void BlobStore::begin_sweep() {
  std::unique_lock lock(mutex_);
  leases_.begin_sweep(steady_clock::now());
  const std::uint64_t mine = ++sweeps_;
  released_.wait(lock, [&] { return holds_.empty() || holds_.begin()->first >= mine; });
}

void BlobStore::end_sweep() {
  const std::lock_guard lock(mutex_);
  leases_.end_sweep();
}

bool BlobStore::is_leased(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  return leases_.has(digest, steady_clock::now());
}

Micros BlobStore::oldest_to_keep(Micros grace) const {
  const Micros lease = std::chrono::microseconds(leases_.lease()).count();
  return clock_.now() - std::max(grace, lease);
}

BlobStore::Swept BlobStore::sweep_shard(int shard, Micros grace, const Wanted& is_wanted) {
  Swept swept;
  const Micros oldest = oldest_to_keep(grace);
  const std::string prefix = fmt::format("{:02x}", shard);
  for (const auto& name : names_in(folder_ / prefix)) {
    const std::string digest = prefix + name;
    sweep_one(digest, place(digest), oldest, is_wanted, swept);
  }
  return swept;
}

BlobStore::Swept BlobStore::sweep_unsynced(Micros grace, const Wanted& is_wanted) {
  Swept swept;
  const Micros oldest = oldest_to_keep(grace);
  const std::lock_guard no_sync(syncing_);
  for (const auto& digest : names_in(folder_ / "new")) {
    const auto removed = swept.removed;
    sweep_one(digest, fresh(digest), oldest, is_wanted, swept);
    if (swept.removed > removed) doubtful_.erase(digest);
  }
  return swept;
}

void BlobStore::sweep_one(const std::string& digest, const fs::path& file, Micros oldest, const Wanted& is_wanted,
                          Swept& swept) {
  struct stat info {};
  if (!is_digest(digest) || ::stat(file.c_str(), &info) != 0) return;
  const bool is_young = info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec / 1000 > oldest;
  if (is_young || is_wanted(digest)) {
    ++swept.kept;
    return;
  }
  const fs::path away = scratch();
  {
    // One who is told of it from here on does not find it; one who was told before has a lease.
    const std::lock_guard lock(mutex_);
    const bool is_moving = unsynced_.contains(digest) && file == place(digest);
    if (leases_.has(digest, steady_clock::now()) || is_moving || files_.rename(file, away) != 0) {
      ++swept.kept;
      return;
    }
    unsynced_.erase(digest);
    known_.forget(digest);
  }
  files_.unlink(away);
  ++swept.removed;
  swept.bytes += static_cast<std::uint64_t>(info.st_size);
}

BlobStore::Swept BlobStore::sweep_scraps(Micros grace) {
  Swept swept;
  const Micros oldest = oldest_to_keep(grace);
  swept.bytes += partials_.remove_older(oldest / kSecond);
  for (const auto& name : names_in(folder_ / "damaged")) {
    struct stat info {};
    const fs::path file = folder_ / "damaged" / name;
    // While it is missing, what is left of it may still help somebody.
    if (!exists(name) || ::stat(file.c_str(), &info) != 0 || info.st_ctim.tv_sec * kSecond > oldest) continue;
    if (files_.unlink(file) == 0) swept.bytes += static_cast<std::uint64_t>(info.st_size);
  }
  return swept;
}

}  // namespace roost
