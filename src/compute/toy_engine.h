#pragma once

#include <map>
#include <string>

#include "compute/compute_engine.h"

namespace roost {

// The smallest engine there can be, for tests: a node is a name in a list, and a test says when it dies. All that adding
// it took is in docs/checklists.md. For one thread.
class ToyEngine final : public ComputeEngine {
 public:
  bool serves(const Compute& compute) const override { return compute.vm_size == "toy"; }
  bool serves(const Node& node) const override { return nodes.contains(node.id); }

  Result<NodeHandle> start(const NodeRequest& request) override {
    if (refuses) return fail(ErrorCode::kUnavailable, "there are no toys");
    nodes[request.node.id] = true;
    tokens[request.node.id] = request.token;
    return NodeHandle{++started, 7};
  }
  bool note_failed_start(const Node&) override { return elsewhere; }
  void clean_up(const Node& node) override { nodes.erase(node.id); }

  NodeHandles::Look look(const Node& node) override {
    const auto known = nodes.find(node.id);
    return known != nodes.end() && known->second ? NodeHandles::Look::kAlive : NodeHandles::Look::kGone;
  }
  bool was_evicted(const Node& node) override { return evicted == node.id; }
  void end(const Node& node) override {
    if (const auto known = nodes.find(node.id); known != nodes.end()) known->second = false;
  }

  // What a test turns and looks at.
  bool refuses = false;
  bool elsewhere = false;  // a start that failed is tried at another place
  std::string evicted;
  std::map<std::string, bool> nodes;  // whether each is alive
  std::map<std::string, std::string> tokens;
  std::int64_t started = 0;
};

}  // namespace roost
