#include "execute/placement.h"

#include "execute/attempts.h"
#include "execute/lose_node.h"
#include "execute/preempt.h"

namespace roost {

Status RunPlacement::start(Tx& tx, Run& run, std::vector<Node>& nodes, Micros now) {
  const std::string token = execute_.access.attempt_token(run.id, run.attempt + 1);
  return start_attempt(tx, run, nodes, Access::hash(token), now);
}

Status RunPlacement::preempt(Tx& tx, Node& node, const std::string& why, Micros now, Preempted& preempted) {
  return preempt_node(tx, node, why, now, preempted);
}

Status RunPlacement::cancel(Tx& tx, Run& run, const std::string& reason, Micros now, const Json& error) {
  return request_cancel(tx, run, reason, now, error);
}

Status RunPlacement::lose(const Node& node, const std::string& reason) { return lose_node(execute_, node, reason); }

}  // namespace roost
