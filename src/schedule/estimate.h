#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/run_state.h"
#include "domain/wait_estimate.h"

namespace roost {

// How long a run may take: the median of similar runs that ended well, and its time limit.
struct RunLength {
  std::optional<Micros> median;
  int samples = 0;  // runs behind the median
  std::optional<Micros> limit;
};
RunLength run_length(std::vector<Micros> earlier, std::optional<Micros> limit);

// A run that has nodes.
struct NodeHolder {
  std::int64_t nodes = 1;
  std::string user;
  Micros since = 0;
  RunLength length;
};

// A run that waits for nodes.
struct RunInLine {
  std::int64_t run = 0;
  std::int64_t nodes = 1;
  std::int64_t priority = 0;
  std::string user;
  RunStatus status = RunStatus::kQueued;
  RunLength length;
};

// A compute and its queue when somebody asks. `waiting` is in the order in which the scheduler takes them.
struct QueueView {
  Micros now = 0;
  std::int64_t max_nodes = 0;
  std::int64_t idle = 0;
  std::int64_t running = 0;       // nodes
  std::vector<Micros> preparing;  // since when, each node
  Micros node_start = kSecond;    // how long a node takes to come up
  bool deleting = false;
  std::int64_t max_nodes_per_user = 0;  // 0: no limit
  std::int64_t max_runs_per_user = 0;
  std::vector<NodeHolder> holders;
  std::vector<RunInLine> waiting;
};

// One for each of view.waiting, in its order. Runs start in order and on all their nodes at once; a run
// that cannot start holds up nobody. What a scheduler lets through in between only makes others earlier.
std::vector<WaitEstimate> estimate_queue(const QueueView& view);

// When a run that has nodes will likely give them back; none if nothing tells.
std::optional<Micros> likely_end(const NodeHolder& holder, Micros now);

}  // namespace roost
