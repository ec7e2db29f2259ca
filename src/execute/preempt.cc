#include "execute/preempt.h"

#include <fmt/format.h>

#include "execute/attempts.h"
#include "records/compute_records.h"
#include "records/run_records.h"

namespace roost {

Status preempt_node(Tx& tx, Node& node, const std::string& why, Micros now, Preempted& preempted) {
  if (node.state != NodeState::kPreparing && node.state != NodeState::kIdle && node.state != NodeState::kRunning) {
    return {};
  }
  node.enter(NodeState::kPreempted, now);
  ROOST_CHECK(save_node(tx, node));
  preempted.nodes.push_back(node.id);
  ROOST_TRY(const auto parts, open_parts(tx, node.id));
  for (const auto& part : parts) {
    ROOST_TRY(const Run run, run_by_row(tx, part.run));
    if (run.status == RunStatus::kFinalizing || run.status == RunStatus::kCancelRequested) continue;
    ROOST_TRY(const bool first, preempt_attempt(tx, part.run, part.attempt, why, now));
    if (!first) continue;
    ROOST_TRY(const auto nodes, nodes_of_run(tx, part.run, part.attempt));
    preempted.told.insert(preempted.told.end(), nodes.begin(), nodes.end());
    preempted.runs.push_back(run.id);
  }
  return {};
}

Status requeue_preempted(Tx& tx, Run& run, const std::string& why, Micros now) {
  ROOST_CHECK(close_attempt(tx, run.seq, run.attempt));
  run.deadline.reset();
  const std::string reason = run.held ? why : fmt::format("preempted: {}; it waits for nodes again", why);
  if (run.status == RunStatus::kQueued) {
    ROOST_CHECK(save_run(tx, run));
    return note_event(tx, run, reason, now);
  }
  if (!may_follow(run.status, RunStatus::kQueued)) ROOST_CHECK(mark_silent(tx, run, reason, now));
  return move_run(tx, run, RunStatus::kQueued, reason, now);
}

}  // namespace roost
