#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/files.h"

namespace roost {

// Bytes kept under their SHA-256, each once, in a folder on disk. Thread-safe.
//
// A blob first lands in `new/` and moves to its place in sync(), after the disk has its bytes: what
// stands in its place is whole also after power loss. open() checks what it finds in `new/`.
class BlobStore {
 public:
  static Result<std::unique_ptr<BlobStore>> open(const std::filesystem::path& folder,
                                                 const Clock& clock);

  // While one lives, collect() removes nothing: check that blobs are there, then store what names them.
  using Hold = std::shared_lock<std::shared_mutex>;
  Hold hold() { return Hold(collecting_); }

  // True if stored. Also marks it as wanted, so that a collection within its grace keeps it.
  bool has(std::string_view digest) const;
  Result<std::uint64_t> size(std::string_view digest) const;
  Result<Fd> open_blob(std::string_view digest) const;
  // The file of a stored blob; it never changes as long as the blob exists.
  Result<std::filesystem::path> path(std::string_view digest) const;
  Result<std::string> read(std::string_view digest) const;

  // Stores `bytes`, whose digest must be `digest` (kDataMismatch otherwise).
  Status put(std::string_view digest, std::string_view bytes);
  // Stores `bytes` under whatever their digest is.
  Result<std::string> put(std::string_view bytes);

  // Takes over a file of the same file system whose digest the caller has computed.
  Status adopt(const std::string& digest, const std::filesystem::path& file);

  // A large blob that arrives in pieces, over several connections if need be. Only one at a time per
  // digest (kFailedPrecondition). Dropped without finish(), the received bytes stay for a later try.
  class Upload {
   public:
    Upload(Upload&&) noexcept;
    ~Upload();
    std::uint64_t received() const { return received_; }
    Status append(std::string_view bytes);
    Status finish();  // kDataMismatch, and the bytes are dropped, if the digest is another

   private:
    friend class BlobStore;
    Upload(BlobStore& store, std::string digest) : store_(&store), digest_(std::move(digest)) {}
    BlobStore* store_;
    std::string digest_;
    Fd fd_;
    Sha256 hash_;
    std::uint64_t received_ = 0;
  };
  Result<Upload> begin_upload(std::string_view digest);
  std::uint64_t received(std::string_view digest) const;

  // Makes all blobs stored so far survive power loss.
  Status sync();

  struct Collected {
    std::int64_t removed = 0;
    std::int64_t kept = 0;
    std::uint64_t bytes = 0;
  };
  // Removes blobs that are older than `grace` and that `wanted` (called after uploads are shut out)
  // does not list.
  Result<Collected> collect(Micros grace,
                            const std::function<Result<std::set<std::string>>()>& wanted);

 private:
  BlobStore(std::filesystem::path folder, const Clock& clock)
      : folder_(std::move(folder)), clock_(clock) {}
  Status recover();
  std::filesystem::path place(std::string_view digest) const;
  std::filesystem::path fresh(std::string_view digest) const { return folder_ / "new" / digest; }
  std::filesystem::path partial(std::string_view digest) const {
    return folder_ / "partial" / digest;
  }
  void arrived(const std::string& digest);

  std::filesystem::path folder_;
  const Clock& clock_;
  mutable std::shared_mutex collecting_;
  mutable std::mutex mutex_;
  std::set<std::string> unsynced_;
  std::set<std::string> uploading_;
  std::mutex syncing_;
};

}  // namespace roost
