#pragma once

#include <string>
#include <vector>

#include "db/database.h"
#include "domain/compute.h"
#include "domain/node_handles.h"
#include "domain/wait_estimate.h"

namespace roost {

// By which an engine finds a node again, also after a restart of the server. What it means is the engine's affair; 0 is
// none.
struct NodeHandle {
  std::int64_t number = 0;
  std::int64_t stamp = 0;  // tells it from another one that has the number later
};

// A node that is wanted.
struct NodeRequest {
  const Node& node;  // in the records already, under this id and slot
  const Compute& compute;
  std::string token;  // opens the server to its runner
};

// Where the nodes of computes come from: this machine, Slurm, ... A node is a `roost runner` process somewhere that
// will call the server by itself; the engine starts it, tells whether it can still be alive, and ends it.
// Thread-safe. What an engine need not do has an answer here. docs/checklists.md says how to add one.
class ComputeEngine {
 public:
  virtual ~ComputeEngine() = default;

  // Whether it gives the nodes of this compute, and whether this node is its own.
  virtual bool serves(const Compute& compute) const = 0;
  virtual bool serves(const Node& node) const = 0;
  // A compute is about to be made that no engine was named for: takes it, if the operator said so for its size.
  virtual void claim(Compute&) const {}
  // Before it is made: whether the engine could ever give nodes of this kind.
  virtual Status check(const Compute&) { return {}; }

  // What a node of it has.
  virtual NodeShare share_of(const Compute&) const { return {}; }

  // True: its own queue decides which runs start, and it brings nodes for each run alone, which leave with the run.
  // Then the four that follow are not asked.
  virtual bool has_own_queue() const { return false; }
  virtual Result<NodeHandle> start(const NodeRequest& request) = 0;
  // The node ended, or was not heard of, before it came up. True if the next one goes to another place.
  virtual bool note_failed_start(const Node&) { return false; }
  // Where to read why a node did not come up.
  virtual std::string log_of(const Node&) const { return ""; }
  // Removes what a node that is gone left behind.
  virtual void clean_up(const Node&) {}

  // See NodeHandles.
  virtual NodeHandles::Look look(const Node& node) = 0;
  virtual bool was_evicted(const Node&) { return false; }
  virtual void end(const Node& node) = 0;
  virtual bool adopt(Node&, std::int64_t /*pid*/) { return false; }

  // Of an engine with its own queue: what it says of the runs that wait, in place of what was estimated.
  virtual Status explain(Tx&, const Compute&, std::vector<WaitEstimate>&) const { return {}; }
  // Adds nodes that are on their way and that the records do not know yet.
  virtual Status add_coming(Tx&, const Compute&, std::vector<Node>&) const { return {}; }

  // Whatever it does by itself begins and ends; `roost down` leaves nothing of it anywhere.
  virtual void begin() {}
  virtual void stop() {}
  virtual void end_all() {}
};

}  // namespace roost
