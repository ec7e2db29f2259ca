#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/files.h"
#include "blobs/store_files.h"

namespace roost {

// One upload's own file. Used by one thread at a time.
struct PartialUpload {
  std::string digest;
  std::filesystem::path file;
  Fd fd;
  Sha256 hash;             // of the bytes so far
  std::uint64_t size = 0;  // how many those are
  bool is_resumed = false;
};

// The files of uploads under way and of those that broke off: `<digest>.<random>` in one folder. Every
// upload writes a file of its own, so none has to wait for another; one that goes on takes over the file
// of one that broke off, or copies what one under way has received. Thread-safe.
class PartialUploads {
 public:
  PartialUploads(std::filesystem::path folder, StoreFiles& files)
      : folder_(std::move(folder)), files_(files) {}

  // Finds what earlier uploads left.
  void open();

  // Its file ends at `offset` and is hashed; kFailedPrecondition if so much was never received.
  Result<std::unique_ptr<PartialUpload>> begin(const std::string& digest, std::uint64_t offset);
  Status append(PartialUpload& upload, std::string_view bytes);
  // It broke off: its bytes stay, unless another that broke off has more.
  void leave(PartialUpload& upload);
  // Its file has gone elsewhere, and nobody needs those that broke off any more.
  void finished(PartialUpload& upload);
  // Its bytes were not those of the digest, nor are those that it went on from.
  void drop(PartialUpload& upload);

  struct State {
    bool is_active = false;
    std::uint64_t received = 0;
  };
  State state(const std::string& digest) const;

  // Removes what broke off before `oldest` (seconds of the file's clock). Returns the bytes.
  std::uint64_t remove_older(std::int64_t oldest);

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Entry {
    std::filesystem::path file;
    std::uint64_t size = 0;
    bool is_busy = false;
    bool is_suspect = false;  // an upload that went on from it did not have the digest
    SteadyTime moved;
  };
  Entry* find(const PartialUpload& upload);
  void erase(const PartialUpload& upload);
  Status take_over(PartialUpload& upload, std::uint64_t offset);
  Status copy_from(const std::filesystem::path& file, PartialUpload& upload, std::uint64_t offset);

  std::filesystem::path folder_;
  StoreFiles& files_;
  mutable std::mutex mutex_;
  std::map<std::string, std::list<Entry>> entries_;  // by digest
};

}  // namespace roost
