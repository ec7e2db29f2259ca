#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"
#include "domain/compute.h"
#include "domain/run.h"

namespace roost {

// Who has to hear of a preemption, by id.
struct Preempted {
  std::vector<std::string> nodes;  // those that were taken
  std::vector<std::string> told;   // all nodes of the runs that are being stopped
  std::vector<std::string> runs;
};

// What becomes of runs that are given nodes or lose them. execute/ does it; schedule/ and compute/, which decide about
// nodes and must not know it, are given this by the object graph. Thread-safe.
class Placement {
 public:
  virtual ~Placement() = default;
  // The run starts on these nodes, by node rank: a new attempt.
  virtual Status start(Tx& tx, Run& run, std::vector<Node>& nodes, Micros now) = 0;
  // Takes the node away; what is on it waits for another, at no cost.
  virtual Status preempt(Tx& tx, Node& node, const std::string& why, Micros now, Preempted& preempted) = 0;
  // Asks for the end of the run; `error` says more, if there is more to say.
  virtual Status cancel(Tx& tx, Run& run, const std::string& reason, Micros now, const Json& error) = 0;
  // The node will not be heard of again. Not inside a transaction.
  virtual Status lose(const Node& node, const std::string& reason) = 0;
};

}  // namespace roost
