#pragma once

#include <string>

#include "domain/compute.h"

namespace roost {

// Where the nodes of a compute come from. A node is a `roost runner` process somewhere that will call
// the server by itself; the provider only starts it, tells whether it can still be alive, and ends it.
// Thread-safe.
class ComputeProvider {
 public:
  virtual ~ComputeProvider() = default;
  // Starts the node; on success node.pid and node.pid_started are set.
  virtual Status start_node(Node& node, const Compute& compute, const std::string& token) = 0;
  // The node ended, or was not heard of, before it came up. True if the next one goes to another place.
  virtual bool note_failed_start(const Node& node) = 0;
  // Takes a node whose start was not written down, because the server was killed just then: true if that
  // process of this machine is its runner; node.pid and node.pid_started are set then.
  virtual bool adopt_node(Node& node, std::int64_t pid) = 0;
  // False only if it is certain that the node's runner is gone.
  virtual bool may_be_alive(const Node& node) = 0;
  // Whether the runner was told to end by whoever ends the machine: then it is not to blame for its end.
  virtual bool was_evicted(const Node&) { return false; }
  // Ends the runner at once, and with it whatever it runs. No error if it is gone already.
  virtual void end_node(const Node& node) = 0;
  // Removes what a node that is gone left behind.
  virtual void clean_up(const Node& node) = 0;
};

}  // namespace roost
