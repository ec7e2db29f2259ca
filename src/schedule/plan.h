#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/compute.h"
#include "domain/queued_run.h"
#include "schedule/machine_room.h"
#include "schedule/past_use.h"
#include "schedule/run_queue.h"

namespace roost {

// What a compute looks like when a decision is due.
struct ComputeView {
  Compute compute;
  std::vector<Node> nodes;
  std::vector<RunningRun> running;
  const RunQueue* waiting = nullptr;   // null: nobody waits
  const PastUse* past = nullptr;       // null: nobody used it before
  std::vector<std::int64_t> promised;  // what the plan before this one said
  std::int64_t most_nodes = INT64_MAX;  // what others leave of the machine at best

  MachineRoom room = {};          // of the machine that its nodes are on
  std::optional<std::int64_t> size_gpus = {};  // see need_of()

  std::int64_t capacity() const { return std::min(compute.max_nodes, most_nodes); }
};

struct Plan {
  struct Start {
    std::int64_t run = 0;
    std::int64_t priority = 0;
    std::vector<std::string> nodes;  // by node rank
    bool backfill = false;           // another run was first, and waits
    Amounts takes = {};              // of the machine, on all nodes together
  };
  std::vector<Start> starts;
  // Runs whose turn it is and that wait for nodes to come up, in order.
  struct Coming {
    std::int64_t run = 0;
    std::int64_t priority = 0;
    std::int64_t new_nodes = 0;  // those that have to be added for it
    std::int64_t idle_nodes = 0;  // those that wait for the others
    bool told = false;           // the run is shown as Provisioning
  };
  std::vector<Coming> coming;
  std::int64_t nodes_to_add = 0;
  std::vector<std::string> nodes_to_end;
  // Idle nodes that stay; last those that are kept for runs of `coming`.
  std::vector<std::string> idle_left;
  // The first run that has to wait for others to end, and when that will be at the latest, if known.
  struct Reserved {
    std::int64_t run = 0;
    std::int64_t priority = 0;
    std::optional<Micros> starts;
  };
  std::optional<Reserved> reserved;
  std::optional<RoomClaim> claim;  // the first run here that has nodes to start on and waits for GPUs, CPUs or memory
  Amounts taken;                   // by those that start and those whose nodes come up
  // Runs whose turn it was and that did not start, in order. They keep it, whoever has less of the compute
  // meanwhile: nodes that come free one by one would never be enough for a big run otherwise.
  std::vector<std::int64_t> promised;
  std::int64_t steps = 0;  // how much work it was
};

// How many nodes the compute should have now if runs that wait want so many.
std::int64_t target_nodes(const Compute& compute, const std::vector<Node>& nodes, std::int64_t wanted);

// Decides without touching anything. Runs are looked at by priority, then by fair share between users, then
// by age (FairOrder). A run starts on all its nodes or on none. The first that has to wait gets a
// Reservation; those behind it start only if they do not make it wait longer. Of GPUs, CPUs and memory it gets what
// RoomShare says. Nodes are added up to the
// capacity, and end when they have been idle for idle_seconds, down to min_nodes.
// `same`: what was decided on the same view before, if that gave nodes to nobody; then the queue need not be
// looked at again.
Plan plan_compute(const ComputeView& view, Micros now, const Plan* same = nullptr);

}  // namespace roost
