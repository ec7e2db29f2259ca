#pragma once

#include <string>
#include <vector>

#include "domain/compute.h"
#include "domain/run.h"

namespace roost {

// What a compute looks like when a decision is due. `waiting` has the runs that may start, the one to
// start first in front (priority, then age); `waiting_count` counts them, up to max_nodes.
struct ComputeView {
  Compute compute;
  std::vector<Node> nodes;
  std::vector<Run> waiting;
  std::int64_t waiting_count = 0;
};

struct Plan {
  struct Start {
    std::int64_t run = 0;
    std::string node;
  };
  std::vector<Start> starts;
  std::int64_t nodes_to_add = 0;
  std::vector<std::string> nodes_to_end;
  // Runs that wait only because a node is coming up for them.
  std::vector<std::int64_t> provisioning;
};

// How many nodes the compute should have now.
std::int64_t target_nodes(const ComputeView& view);

// Decides without touching anything: idle nodes to the first runs in the queue, new nodes for the
// rest up to max_nodes, nodes idle for longer than idle_seconds end down to min_nodes.
Plan plan_compute(const ComputeView& view, Micros now);

}  // namespace roost
