#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/compute.h"
#include "domain/wait_estimate.h"
#include "records/waiting_records.h"
#include "schedule/estimate.h"

namespace roost {

// Who has the nodes of a compute, who waits for some, why and until when.
struct ComputeQueue {
  struct Holder {
    QueueEntry entry;
    std::optional<Micros> likely_end;
    bool is_staged = true;  // false while its nodes are still getting its code and data
  };
  struct Waiter {
    QueueEntry entry;
    WaitEstimate estimate;
  };
  std::vector<Holder> holders;
  std::vector<Waiter> waiting;  // the first to start in front
};

// How long runs took that are like one that waits: same experiment, program, compute and nodes. Reads each
// experiment once; good for one transaction.
class EarlierLengths {
 public:
  explicit EarlierLengths(Tx& tx) : tx_(tx) {}
  Result<RunLength> length_of(const QueueEntry& entry);

 private:
  Tx& tx_;
  std::map<std::int64_t, std::vector<EarlierRun>> by_experiment_;
};

// Where another engine decides who starts, it puts its own words in place of what was estimated; compute/ does it.
using ExplainQueue = std::function<Status(Tx& tx, const Compute& compute, std::vector<WaitEstimate>& waits)>;

// `entries` are those of this compute, as queue_entries gives them.
Result<ComputeQueue> read_compute_queue(Tx& tx, const Compute& compute, std::vector<QueueEntry> entries,
                                        EarlierLengths& lengths, const ExplainQueue& explain, Micros now);

}  // namespace roost
