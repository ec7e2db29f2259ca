#pragma once

#include <string>
#include <vector>

#include "domain/compute.h"
#include "domain/run.h"

namespace roost {

// What a compute looks like when a decision is due. `waiting` has the runs that may start, the one to
// start first in front (priority, then age), at most as many as the compute has nodes.
struct ComputeView {
  Compute compute;
  std::vector<Node> nodes;
  std::vector<Run> waiting;
};

struct Plan {
  struct Start {
    std::int64_t run = 0;
    std::vector<std::string> nodes;  // by node rank
  };
  std::vector<Start> starts;
  std::int64_t nodes_to_add = 0;
  std::vector<std::string> nodes_to_end;
  // Runs that wait only because a node is coming up for them.
  std::vector<std::int64_t> provisioning;
};

// How many nodes a run starts on, all at once or not at all.
std::int64_t nodes_needed(const Run& run);

// How many nodes the compute should have now.
std::int64_t target_nodes(const ComputeView& view);

// Decides without touching anything: idle nodes to the first runs in the queue, new nodes for the
// rest up to max_nodes, nodes idle for longer than idle_seconds end down to min_nodes. A run that
// needs several nodes waits until that many are idle; nobody behind it takes them.
Plan plan_compute(const ComputeView& view, Micros now);

}  // namespace roost
