#pragma once

#include <cstdint>
#include <string>

#include "domain/compute.h"

namespace roost {

// What is behind a node, as whoever looks after its runs has to know it: compute/, which starts and ends nodes, does it,
// and execute/ is given this by the object graph. Thread-safe, not inside a transaction but for is_for_one_run().
class NodeHandles {
 public:
  virtual ~NodeHandles() = default;
  // kStarting: its start is not written down, or not yet. kGone only if that is certain.
  enum class Look { kStarting, kAlive, kGone };
  virtual Look look(const Node& node) = 0;
  // Whether its runner was told to end by whoever ends the machine: then it is not to blame for its end.
  virtual bool was_evicted(const Node& node) = 0;
  // Ends its runner at once, and with it whatever that runs. Nothing if it is gone, or is ended by somebody else.
  virtual void end(const Node& node) = 0;
  // Takes a node whose start was not written down, because the server was killed just then: true if the process
  // that calls is its runner; then its handle is in `node`.
  virtual bool adopt(Node& node, std::int64_t pid) = 0;
  // Whether processes that its runner started may live on, though it is gone itself.
  virtual bool left_processes(const std::string& node) = 0;
  // It was given for one run alone: it leaves with it.
  virtual bool is_for_one_run(const Node& node) = 0;
  // The records know that it was lost: what it left goes, or its compute waits before it tries the next one.
  virtual void gone(const Node& node, const std::string& reason) = 0;
};

}  // namespace roost
