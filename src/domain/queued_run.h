#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "domain/resource_ask.h"

namespace roost {

// What the scheduler knows of a run that waits, and no more: there may be a hundred thousand of them.
struct QueuedRun {
  std::int64_t seq = 0;
  std::int64_t priority = 0;
  std::int64_t nodes = 1;
  Micros limit = 0;  // how long it may run; 0: no limit
  Micros queued = 0;
  std::string user;
  bool provisioning = false;  // told already that a node is coming up for it
  ResourceAsk ask = {};       // on each node
  bool is_replica = false;    // of an endpoint: it may stay for good
};

// A run that nodes have been given to.
struct RunningRun {
  std::int64_t seq = 0;
  std::string user;
  std::int64_t nodes = 1;  // those it still holds
  Micros started = 0;
  std::optional<Micros> ends;  // at the latest; nothing if it has no time limit
  bool preempted = false;      // it is being stopped
  Amounts held = {};           // of the machine, on all its nodes
};

}  // namespace roost
