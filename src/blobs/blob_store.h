#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/files.h"
#include "blobs/blob_leases.h"
#include "blobs/known_blobs.h"
#include "blobs/partial_uploads.h"
#include "blobs/store_files.h"

namespace roost {

// Bytes kept under their SHA-256, each once, in a folder on disk. Thread-safe.
//
// A blob first lands in `new/` and moves to its place in sync(), after the disk has its bytes: what
// stands in its place is whole also after power loss. open() checks what it finds in `new/`.
//
// A blob whose bytes have changed on the disk is put aside into `damaged/` when that is noticed, and is
// missing from then on: whoever offers the same bytes repairs it.
class BlobStore {
 public:
  // How long a blob is kept for whoever stored it or asked for it and may be about to name it.
  static constexpr std::chrono::seconds kLease{900};
  static Result<std::unique_ptr<BlobStore>> open(const std::filesystem::path& folder,
                                                 const Clock& clock,
                                                 StoreFiles& files = real_files(),
                                                 std::chrono::seconds lease = kLease);

  // Have one while you store blobs, or check that they are there, and until what names them is recorded:
  // whatever is stored or found under a hold is still there at its end. What was stored before it need
  // not be; check. A sweep looks at what is named only after the holds that were there when it began; it
  // does not wait for later ones.
  class Hold {
   public:
    explicit Hold(BlobStore& store);
    Hold(Hold&& other) noexcept
        : store_(std::exchange(other.store_, nullptr)), sweep_(other.sweep_) {}
    ~Hold();
    // No sweep has begun since; for tests.
    bool is_before_sweep() const { return sweep_ == 0; }

   private:
    BlobStore* store_;
    std::uint64_t sweep_ = 0;  // how many sweeps had begun
  };
  Hold hold();
  // Called by whoever is about to have a hold, when a sweep can do most harm; for tests, before anything else.
  void call_before_holds(std::function<void()> call) { before_hold_ = std::move(call); }

  // True if stored, as far as can be told quickly: a file that was changed since it was last seen to be
  // right is read through, others while there is time for it. Begins a lease.
  bool has(std::string_view digest) const;
  // Begins a lease.
  Result<std::uint64_t> size(std::string_view digest) const;
  Result<Fd> open_blob(std::string_view digest) const;
  // The file of a stored blob; it never changes as long as the blob exists.
  Result<std::filesystem::path> path(std::string_view digest) const;
  // kNotFound also if the bytes on the disk are others.
  Result<std::string> read(std::string_view digest) const;
  // Reads it through. False if it cannot be read, or if its bytes are others; it is missing then.
  bool verify(std::string_view digest) const;
  // Somebody read other bytes from this open file of the blob.
  void put_aside(std::string_view digest, int fd) const;
  // Whatever is left of a blob that was put aside.
  Result<std::string> read_damaged(std::string_view digest) const;

  // Stores `bytes`, whose digest must be `digest` (kDataMismatch otherwise).
  Status put(std::string_view digest, std::string_view bytes);
  // Stores `bytes` under whatever their digest is.
  Result<std::string> put(std::string_view bytes);

  // Takes over a file of the same file system whose digest the caller has computed.
  Status adopt(const std::string& digest, const std::filesystem::path& file);

  // A large blob that arrives in pieces, over several connections if need be. Any number may be under
  // way for one digest: each writes a file of its own, and all of them succeed. Dropped without
  // finish(), the received bytes stay for a later try.
  class Upload {
   public:
    Upload(Upload&&) noexcept = default;
    ~Upload();
    std::uint64_t received() const { return partial_->size; }
    Status append(std::string_view bytes);
    // Another upload has stored the same bytes since this one began: the rest need not come.
    bool is_overtaken() const;
    void forget();    // the received bytes, too
    Status finish();  // kDataMismatch, and the bytes are dropped, if the digest is another

   private:
    friend class BlobStore;
    Upload(BlobStore& store, std::unique_ptr<PartialUpload> partial)
        : store_(&store), partial_(std::move(partial)) {}
    BlobStore* store_;
    std::unique_ptr<PartialUpload> partial_;
    bool was_stored_ = false;
  };
  // `offset` 0 begins anew; else what was received before is kept up to there, also of an upload that
  // is still under way. kFailedPrecondition if less than that was received.
  Result<Upload> begin_upload(std::string_view digest, std::uint64_t offset);

  struct UploadState {
    bool is_stored = false;
    bool is_active = false;      // bytes are coming in just now; wait and take their result
    std::uint64_t received = 0;  // where an upload can go on
  };
  UploadState upload_state(std::string_view digest) const;

  // Makes these blobs, or all, survive power loss. An error says that one of them is not on disk, and
  // keeps no other from getting there; the next call tries it again. One whose bytes the disk lost is
  // dropped: it is missing then, and has to be sent again.
  Status sync(const std::vector<std::string>& digests);
  Status sync();

  struct Swept {
    std::int64_t removed = 0;
    std::int64_t kept = 0;
    std::uint64_t bytes = 0;
  };
  static constexpr int kShards = 256;
  // Removes, piece by piece, what nobody needs, while others go on. Whatever is stored, asked for or named
  // from begin_sweep() on is kept; what was named before is for `is_wanted` to know, which has to be made
  // after begin_sweep().
  void begin_sweep();
  using Wanted = std::function<bool(const std::string& digest)>;
  Swept sweep_shard(int shard, Micros grace, const Wanted& is_wanted);
  // Those that could not be synced, for want of space above all.
  Swept sweep_unsynced(Micros grace, const Wanted& is_wanted);
  // Uploads that broke off, and what was put aside.
  Swept sweep_scraps(Micros grace);
  void end_sweep();
  // Whether somebody was told of it so lately that it must stay.
  bool is_leased(const std::string& digest) const;
  std::chrono::seconds lease() const { return leases_.lease(); }

 private:
  BlobStore(std::filesystem::path folder, const Clock& clock, StoreFiles& files, std::chrono::seconds lease)
      : folder_(std::move(folder)),
        clock_(clock),
        files_(files),
        partials_(folder_ / "partial", files),
        leases_(lease) {}
  void recover();
  std::filesystem::path place(std::string_view digest) const;
  std::filesystem::path fresh(std::string_view digest) const { return folder_ / "new" / digest; }
  std::filesystem::path scratch() const { return folder_ / "temporary" / random_hex(8); }
  std::filesystem::path damaged(std::string_view digest) const { return folder_ / "damaged" / digest; }
  bool exists(std::string_view digest) const { return path(digest).has_value(); }
  void touch(std::string_view digest) const;
  bool is_known(const std::string& digest) const;
  Result<bool> has_bytes(const std::string& digest, int fd) const;
  void refresh(const std::filesystem::path& file, struct stat& info, const std::string& digest) const;
  Micros oldest_to_keep(Micros grace) const;
  void sweep_one(const std::string& digest, const std::filesystem::path& file, Micros oldest, const Wanted& is_wanted,
                 Swept& swept);
  Error missing(std::string_view digest) const;
  Status publish(const std::filesystem::path& file, const std::string& digest);
  // The steps of sync(); each notes in `failed` the blobs that are not further.
  using Failed = std::map<std::string, Error>;
  Status sync_some(const std::vector<std::string>* asked);
  void sync_bytes(const std::set<std::string>& batch, Failed& failed);
  Status write_again(const std::string& digest, int from);
  std::set<std::string> move_to_places(const std::set<std::string>& batch, Failed& failed);
  void sync_names(const std::set<std::string>& moved, Failed& failed);

  std::filesystem::path folder_;
  const Clock& clock_;
  StoreFiles& files_;
  PartialUploads partials_;
  mutable std::mutex mutex_;
  mutable BlobLeases leases_;
  mutable KnownBlobs known_;
  std::map<std::uint64_t, int> holds_;  // by the sweep they came after
  std::uint64_t sweeps_ = 0;
  std::function<void()> before_hold_;
  std::condition_variable released_;
  mutable std::set<std::string> unsynced_;  // in `new/`, or moved from there to a folder not yet synced
  std::mutex syncing_;
  std::set<std::string> doubtful_;  // by syncing_: a sync of these failed, perhaps in another process
};

}  // namespace roost
