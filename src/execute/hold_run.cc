#include "execute/hold_run.h"

#include "records/attempt_records.h"
#include "records/run_records.h"

namespace roost {
namespace {

bool is_ending(const Run& run) {
  return is_terminal(run.status) || run.status == RunStatus::kFinalizing || run.status == RunStatus::kCancelRequested;
}

}  // namespace

Status hold_run(Tx& tx, Run& run, const std::string& why, Micros now, Preempted& told) {
  if (is_ending(run) || run.held) return {};
  ROOST_CHECK(set_held(tx, run, true));
  ROOST_TRY(const auto open, open_attempt(tx, run.seq));
  if (open) {
    ROOST_CHECK(preempt_attempt(tx, run.seq, open->attempt, why, now));
    ROOST_TRY(const auto nodes, nodes_of_run(tx, run.seq, open->attempt));
    told.told.insert(told.told.end(), nodes.begin(), nodes.end());
  }
  told.runs.push_back(run.id);
  return note_event(tx, run, why, now);
}

Status release_run(Tx& tx, Run& run, const std::string& why, Micros now) {
  if (!run.held) return {};
  ROOST_CHECK(set_held(tx, run, false));
  return is_terminal(run.status) ? Status() : note_event(tx, run, why, now);
}

}  // namespace roost
