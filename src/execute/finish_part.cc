#include "execute/finish_part.h"

#include <algorithm>

#include "execute/attempts.h"
#include "execute/conclude_attempt.h"
#include "records/compute_records.h"
#include "records/lease_records.h"
#include "records/run_records.h"

namespace roost {
namespace {

bool has_failed(const FinishReport& report) {
  return report.outcome != "exited" || std::any_of(report.ranks.begin(), report.ranks.end(), [](const RankEnd& rank) {
           return !rank.stopped && !rank.succeeded();
         });
}

}  // namespace

Result<Run> finish_part(const ExecuteParts& execute, const AttemptName& attempt_name, const FinishReport& report,
                        const std::function<Status(Tx&, const Run&)>& check) {
  std::vector<std::string> nodes;
  Run open;
  ROOST_CHECK(write_concluding(execute, [&](Tx& tx, const LogTails& tails) -> Status {
    ROOST_TRY(open, find_open_run(tx, attempt_name));
    ROOST_CHECK(check(tx, open));
    const Micros now = execute.clock.now();
    ROOST_TRY(AttemptPart part, unreported_part(tx, open, report.node_rank));
    // Processes that ended did start, whoever heard of it.
    if (!report.ranks.empty() && part.state != PartState::kStarted) {
      ROOST_TRY(const Micros started, time_of_news(tx, open, report.started_ago.value_or(0), now));
      ROOST_CHECK(mark_started(tx, open, report.node_rank, started));
    }
    for (const auto& notice : report.notices) ROOST_CHECK(add_notice(tx, open, notice));
    const bool evicted = report.outcome == kEvicted;
    if (evicted) ROOST_CHECK(preempt_attempt(tx, open.seq, open.attempt, report.message, now));
    part.state = PartState::kFinished;
    part.report = report_json(report);
    if (report.exited_ago) {
      ROOST_TRY(const Micros exited, time_of_news(tx, open, *report.exited_ago, now));
      part.report["exited_at_us"] = exited;
    }
    hold_outputs(report, part.report);
    part.ended = now;
    ROOST_CHECK(save_part(tx, part));
    // Its runner reports once nothing of it runs any more.
    ROOST_CHECK(free_lease(tx, part.run, part.attempt, part.node_rank, now));
    if (has_failed(report)) ROOST_CHECK(stop_attempt(tx, open.seq, open.attempt, now));
    ROOST_CHECK(conclude_attempt(execute, tx, tails, open, now));
    ROOST_TRY(nodes, nodes_of_run(tx, open.seq, attempt_name.attempt));
    auto node = find_node(tx, part.node);
    if (!node || node->state != NodeState::kRunning) return {};
    const bool leaves = evicted || execute.handles.is_for_one_run(*node);
    node->enter(leaves ? NodeState::kLeaving : NodeState::kIdle, now);
    return save_node(tx, *node);
  }));
  execute.changes.run_changed(open.id);
  // Also the only node may be waiting for this, to leave.
  for (const auto& node : nodes) execute.changes.node_changed(node);
  execute.wake.notify();
  return open;
}

}  // namespace roost
