#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "snapshot/snapshot_transport.h"

namespace roost {

struct TransferProgress {
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_total = 0;
  std::size_t files_done = 0;
  std::size_t files_total = 0;
};

struct TransferOptions {
  int lanes = 4;  // connections at a time
  // Called by one lane at a time, on its thread, and may be called often.
  std::function<void(const TransferProgress&)> progress;
  std::stop_token stop;  // ends the transfer with kUnavailable
  int tries = 5;         // in a row without a byte of progress, then it fails
  std::chrono::milliseconds retry_delay{
      200};  // before the second try; doubled for each further one
};

// A blob to be moved, and the first entry of the manifest that has it.
struct BlobWork {
  std::string digest;
  std::uint64_t size = 0;
  std::size_t entry = 0;
};

inline constexpr std::uint64_t kSmallBlob = 256 * 1024;        // smaller ones travel together
inline constexpr std::uint64_t kBatchBytes = 8 * 1024 * 1024;  // about so many bytes at a time

// Groups small blobs; a large one is alone. The largest come first, so that the lanes end together.
std::vector<std::vector<BlobWork>> make_batches(std::vector<BlobWork> blobs);

// Counts what is done and tells the caller of the transfer. Thread-safe.
class ProgressMeter {
 public:
  ProgressMeter(const TransferOptions& options, const std::vector<std::vector<BlobWork>>& batches);
  // Bytes may be taken back when they have to be moved again.
  void add(std::int64_t bytes, std::size_t files);
  TransferProgress now() const;

 private:
  const TransferOptions& options_;
  mutable std::mutex mutex_;
  TransferProgress progress_;
};

// Moves one batch; called again for the same batch after an error that may pass, so it must go on
// from where it was.
using MoveBatch =
    std::function<Status(SnapshotTransport&, const std::vector<BlobWork>&, ProgressMeter&)>;

// Runs `move` for every batch on options.lanes threads, each with a transport of its own. The first
// error that does not pass ends all of them and is returned.
Status run_lanes(const std::vector<std::vector<BlobWork>>& batches, const TransportFactory& factory,
                 const TransferOptions& options, const MoveBatch& move);

// Calls `operation` until it succeeds, fails for good or has failed `options.tries` times in a row
// while `done` (bytes, say) stood still.
Status with_retries(const TransferOptions& options, const std::function<Status()>& operation,
                    const std::function<std::uint64_t()>& done);

}  // namespace roost
