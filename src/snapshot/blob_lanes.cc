#include "snapshot/blob_lanes.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "base/retry.h"
#include "base/worker_pool.h"

namespace roost {
namespace {

constexpr std::size_t kBatchCount = 2000;
constexpr std::uint64_t kFrameHeader = 120;
constexpr std::chrono::milliseconds kLongestPause{60'000};

Error stopped() { return {ErrorCode::kUnavailable, "the transfer was stopped"}; }

}  // namespace

std::vector<std::vector<BlobWork>> make_batches(std::vector<BlobWork> blobs) {
  std::vector<std::vector<BlobWork>> batches;
  std::sort(blobs.begin(), blobs.end(), [](const BlobWork& a, const BlobWork& b) {
    return a.size != b.size ? a.size > b.size : a.entry < b.entry;
  });
  std::uint64_t room = 0;
  for (auto& blob : blobs) {
    const bool small = blob.size < kSmallBlob;
    const std::uint64_t need = blob.size + kFrameHeader;
    if (!small || room < need || batches.back().size() == kBatchCount) {
      batches.emplace_back();
      room = small ? kBatchBytes : 0;
    }
    if (small) room -= need;
    batches.back().push_back(std::move(blob));
  }
  return batches;
}

ProgressMeter::ProgressMeter(const TransferOptions& options,
                             const std::vector<std::vector<BlobWork>>& batches)
    : options_(options) {
  for (const auto& batch : batches) {
    progress_.files_total += batch.size();
    for (const auto& blob : batch) progress_.bytes_total += blob.size;
  }
  if (options_.progress) options_.progress(progress_);
}

void ProgressMeter::add(std::int64_t bytes, std::size_t files) {
  const std::lock_guard lock(mutex_);
  progress_.bytes_done += static_cast<std::uint64_t>(bytes);
  progress_.files_done += files;
  if (options_.progress) options_.progress(progress_);
}

TransferProgress ProgressMeter::now() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

Status with_retries(const TransferOptions& options, const std::function<Status()>& operation,
                    const std::function<std::uint64_t()>& done) {
  const SystemClock clock;
  Retry retry({is_away, {}, options.tries}, Backoff({options.retry_delay, kLongestPause}, options.stop), clock);
  for (;;) {
    if (options.stop.stop_requested()) return fail(stopped());
    const std::uint64_t before = done();
    Status status = operation();
    if (status) return status;
    if (done() > before) retry.note_progress();
    if (!retry.again(status.error())) return status;
  }
}

Status run_lanes(const std::vector<std::vector<BlobWork>>& batches, const TransportFactory& factory,
                 const TransferOptions& options, const MoveBatch& move) {
  ProgressMeter meter(options, batches);
  const auto lanes = std::min(batches.size(), static_cast<std::size_t>(std::max(options.lanes, 1)));
  std::vector<std::unique_ptr<SnapshotTransport>> transports;
  for (std::size_t i = 0; i < lanes; ++i) {
    ROOST_TRY(transports.emplace_back(), factory());
  }
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::optional<Error> first;  // guarded by mutex
  const auto lane = [&](SnapshotTransport& transport) {
    for (std::size_t i = next++; i < batches.size() && !failed; i = next++) {
      const Status moved = options.stop.stop_requested() ? Status(fail(stopped()))
                                                         : move(transport, batches[i], meter);
      if (moved) continue;
      const std::lock_guard lock(mutex);
      if (!first) first = moved.error();
      failed = true;
    }
  };
  {
    WorkerPool pool(static_cast<int>(lanes));
    for (auto& transport : transports) pool.submit([&lane, &transport] { lane(*transport); });
  }
  if (first) return fail(std::move(*first));
  return {};
}

}  // namespace roost
