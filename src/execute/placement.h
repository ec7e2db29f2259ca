#pragma once

#include "execute/execute_parts.h"
#include "records/placement.h"

namespace roost {

// Gives runs to nodes and takes them away, for those who decide about nodes.
class RunPlacement final : public Placement {
 public:
  // The parts must outlive this.
  explicit RunPlacement(const ExecuteParts& execute) : execute_(execute) {}

  Status start(Tx& tx, Run& run, std::vector<Node>& nodes, Micros now) override;
  Status preempt(Tx& tx, Node& node, const std::string& why, Micros now, Preempted& preempted) override;
  Status cancel(Tx& tx, Run& run, const std::string& reason, Micros now, const Json& error) override;
  Status lose(const Node& node, const std::string& reason) override;

 private:
  const ExecuteParts& execute_;
};

}  // namespace roost
