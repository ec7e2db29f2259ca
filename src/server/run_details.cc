#include "server/run_details.h"

#include "records/attempt_records.h"
#include "records/lease_records.h"
#include "records/param_records.h"
#include "records/run_records.h"

namespace roost {

namespace {

Json held_json(const NodeLease& held) {
  const Amounts amounts = held.lease.amounts();
  return {{"node_rank", held.node_rank},
          {"node", held.node},
          {"gpus", held.lease.gpus},
          {"cpus", amounts.cpus},
          {"memory_mb", amounts.memory_mb},
          {"enforced", held.enforced.is_object() ? held.enforced : Json::object()},
          {"freed_at", held.freed ? Json(format_time(*held.freed)) : Json()}};
}

}  // namespace

Variables variables_for(const Principal& who, const Run& run) {
  bool shown = false;
  if (who.run_row) {
    shown = run.seq == *who.run_row;
  } else if (who.is_person()) {
    // Anybody may add the property to a run that lacks it, so it can only hide.
    const bool gave_them = !run.properties.contains(kVariablesOf) || run.properties[kVariablesOf] == who.name;
    shown = who.role == Role::kOwner || (run.created_by == who.name && gave_them);
  }
  return shown ? Variables::kShown : Variables::kMasked;
}

Result<Json> whole_run_json(Tx& tx, const Run& run, const Principal& who, Micros now) {
  ROOST_TRY(const auto events, run_events(tx, run.seq));
  Json body = run_json(run, variables_for(who, run));
  body["durations"] = stage_seconds(events, now);
  ROOST_TRY(body["nodes"], nodes_of_run(tx, run.seq, run.attempt));
  ROOST_TRY(const auto leases, leases_of_attempt(tx, run.seq, run.attempt));
  for (const auto& lease : leases) body["leases"].push_back(held_json(lease));
  ROOST_TRY(body["params"], params_of_run(tx, run.seq));
  return body;
}

}  // namespace roost
