#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/ages.h"
#include "base/clock.h"
#include "db/database.h"
#include "domain/compute.h"
#include "domain/lease.h"
#include "records/changes.h"
#include "records/placement.h"
#include "schedule/plan_memory.h"
#include "schedule/queue_mirror.h"
#include "schedule/share_machine.h"

namespace roost {

// What deciding needs. Built by the object graph; everything in it outlives it.
struct ScheduleParts {
  Database& db;
  Placement& placement;
  Changes& changes;
  const Clock& clock;
  const ServingTime& serving;
  // False where another engine's own queue decides; compute/ knows.
  std::function<bool(const Compute& compute)> decides_here;
  std::int64_t local_nodes = 0;  // most nodes of all computes together; 0: no limit
  Inventory inventory = {};      // of the machine that the nodes of all these computes are on
};

// Nodes that a compute has to be given.
struct Growth {
  Compute compute;
  std::int64_t nodes = 0;
};

// Matches the queues with nodes: looks, decides, and writes what was decided in one transaction. Everything it decides
// by is in the database, so it carries on after a restart as if nothing had happened. For one thread.
class Scheduler {
 public:
  explicit Scheduler(ScheduleParts parts) : parts_(std::move(parts)), ages_(parts_.serving) {}

  // One cycle. Runs that are given nodes have started on them, idle nodes that are too many leave; the nodes that are
  // too few are for the caller to start.
  std::vector<Growth> cycle();

 private:
  // Who has to hear of what was decided, by id.
  struct Changed {
    std::vector<std::string> nodes;
    std::vector<std::string> runs;
    std::vector<std::int64_t> started;  // rows of runs
  };
  std::vector<ComputePlan> look();
  std::vector<Preemption> plan(std::vector<ComputePlan>& computes, Micros now);
  // Each compute gets its plan, one after another: what one takes of the machine the next does not have.
  void plan_in_turn(std::vector<ComputePlan>& computes, Micros now);
  Status carry_out(Tx& tx, const ComputePlan& computes, Micros now, Changed& changed);
  Result<bool> start(Tx& tx, const Plan::Start& start, Micros now, Changed& changed);
  // The run waits for others to end after all.
  Status put_back(Tx& tx, std::int64_t run, Micros now, Changed& changed);
  Status take_nodes(Tx& tx, const Preemption& preemption, Micros now, Changed& changed);

  const ScheduleParts parts_;
  QueueMirror queues_;
  PlanMemory memory_;
  Ages ages_;  // of idle nodes
  Amounts held_;  // of the machine, when it was looked at
  std::optional<RoomClaim> claim_;  // of the run that waits longest for some of the machine
};

}  // namespace roost
