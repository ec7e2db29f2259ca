#include "server/lose_node.h"

#include "base/log.h"
#include "execute/attempts.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "server/conclude_attempt.h"

namespace roost {

Status lose_node(App& app, const Node& node, const std::string& reason) {
  std::vector<std::string> runs;
  std::vector<std::string> told;  // nodes that have to end their share of the run
  const Micros now = app.clock.now();
  const Status lost = write_concluding(app, [&](Tx& tx, const LogTails& tails) -> Status {
    runs.clear();
    told.clear();
    ROOST_TRY(auto parts, open_parts(tx, node.id));
    for (auto& part : parts) {
      ROOST_TRY(Run run, run_by_row(tx, part.run));
      ROOST_CHECK(lose_part(tx, part, reason, now));
      ROOST_CHECK(conclude_attempt(app, tx, tails, run, now));
      ROOST_TRY(const auto others, nodes_of_run(tx, part.run, part.attempt));
      told.insert(told.end(), others.begin(), others.end());
      runs.push_back(run.id);
    }
    if (node.state != NodeState::kPreparing || !node.allocation.empty()) return remove_node(tx, node.id);
    Node unusable = node;  // it did not even come up: for whoever looks
    unusable.enter(NodeState::kUnusable, now);
    return save_node(tx, unusable);
  });
  app.nodes.forget(node.id);
  app.changes.node_changed(node.id);
  for (const auto& other : told) app.changes.node_changed(other);
  for (const auto& run : runs) app.changes.run_changed(run);
  app.wake.notify();
  return lost;
}

Status give_up_part(App& app, const AttemptPart& given, const std::string& reason) {
  std::string run_id;
  std::vector<std::string> told;
  const Micros now = app.clock.now();
  const Status lost = write_concluding(app, [&](Tx& tx, const LogTails& tails) -> Status {
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
    ROOST_CHECK(conclude_attempt(app, tx, tails, run, now));
    auto node = find_node(tx, given.node);
    if (!node || node->state != NodeState::kRunning) return {};
    node->enter(NodeState::kLeaving, now);
    return save_node(tx, *node);
  });
  if (!lost || run_id.empty()) return lost;
  log_warning("run {}: {}", run_id, reason);
  for (const auto& node : told) app.changes.node_changed(node);
  app.changes.run_changed(run_id);
  app.wake.notify();
  return lost;
}

}  // namespace roost
