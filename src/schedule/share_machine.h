#pragma once

#include <vector>

#include "schedule/plan.h"

namespace roost {

struct ComputePlan {
  ComputeView view;
  Plan plan;
};

// Nodes of a low-priority run that a dedicated one needs.
struct Preemption {
  std::int64_t run = 0;
  std::int64_t nodes = 0;    // so many of its nodes end; it is stopped on all of them
  std::int64_t for_run = 0;
};

// The machine has `most_nodes` for all its computes. Tells each how many it can have at best: all but what
// the others always keep.
void divide_machine(std::int64_t most_nodes, std::vector<ComputePlan>& computes);

// Makes the plans fit the machine. Runs that need new nodes get them in order: those of dedicated computes
// first, then by priority, then by age. The first that cannot have all it needs holds up those behind it, in
// every compute, and idle nodes elsewhere end for it. If it is a dedicated one, low-priority runs are
// preempted too: as few as possible, of those the youngest.
std::vector<Preemption> share_machine(std::int64_t most_nodes, std::vector<ComputePlan>& computes);

}  // namespace roost
