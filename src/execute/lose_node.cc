#include "execute/lose_node.h"

#include "base/log.h"
#include "execute/attempts.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "execute/conclude_attempt.h"

namespace roost {

Status lose_node(const ExecuteParts& execute, const Node& node, const std::string& reason) {
  std::vector<std::string> runs;
  std::vector<std::string> told;  // nodes that have to end their share of the run
  const Micros now = execute.clock.now();
  const Status lost = write_concluding(execute, [&](Tx& tx, const LogTails& tails) -> Status {
    runs.clear();
    told.clear();
    ROOST_TRY(auto parts, open_parts(tx, node.id));
    for (auto& part : parts) {
      ROOST_TRY(Run run, run_by_row(tx, part.run));
      ROOST_CHECK(lose_part(tx, part, reason, now));
      ROOST_CHECK(conclude_attempt(execute, tx, tails, run, now));
      ROOST_TRY(const auto others, nodes_of_run(tx, part.run, part.attempt));
      told.insert(told.end(), others.begin(), others.end());
      runs.push_back(run.id);
    }
    if (node.state != NodeState::kPreparing || execute.handles.is_for_one_run(node)) return remove_node(tx, node.id);
    Node unusable = node;  // it did not even come up: for whoever looks
    unusable.enter(NodeState::kUnusable, now);
    return save_node(tx, unusable);
  });
  execute.nodes.forget(node.id);
  execute.changes.node_changed(node.id);
  for (const auto& other : told) execute.changes.node_changed(other);
  for (const auto& run : runs) execute.changes.run_changed(run);
  execute.wake.notify();
  return lost;
}

Status give_up_part(const ExecuteParts& execute, const AttemptPart& given, const std::string& reason) {
  std::string run_id;
  std::vector<std::string> told;
  const Micros now = execute.clock.now();
  const Status lost = write_concluding(execute, [&](Tx& tx, const LogTails& tails) -> Status {
    run_id.clear();
    told.clear();
    ROOST_TRY(Run run, run_by_row(tx, given.run));
    if (!check_attempt_open(tx, run, given.attempt)) return {};
    ROOST_TRY(auto parts, attempt_parts(tx, given.run, given.attempt));
    for (auto& part : parts) {
      told.push_back(part.node);
      if (part.node_rank != given.node_rank || part.is_over()) continue;
      run_id = run.id;
      ROOST_CHECK(lose_part(tx, part, reason, now));
    }
    if (run_id.empty()) return {};
    ROOST_CHECK(conclude_attempt(execute, tx, tails, run, now));
    auto node = find_node(tx, given.node);
    if (!node || node->state != NodeState::kRunning) return {};
    node->enter(NodeState::kLeaving, now);
    return save_node(tx, *node);
  });
  if (!lost || run_id.empty()) return lost;
  log_warning("run {}: {}", run_id, reason);
  for (const auto& node : told) execute.changes.node_changed(node);
  execute.changes.run_changed(run_id);
  execute.wake.notify();
  return lost;
}

}  // namespace roost
