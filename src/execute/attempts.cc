#include "execute/attempts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "domain/rank_plan.h"
#include "domain/run_variables.h"
#include "records/compute_records.h"
#include "records/lease_records.h"
#include "records/run_records.h"
#include "records/wire_run_records.h"
#include "records/workspace_records.h"

namespace roost {
namespace {

constexpr std::int64_t kMostFalseStarts = 5;
constexpr Micros kTokenLifetime = 30LL * 24 * 3600 * kSecond;

// The state a run was in before it stopped responding, from its events.
Result<RunStatus> status_before_silence(Tx& tx, const Run& run) {
  ROOST_TRY(const auto events, run_events(tx, run.seq));
  for (auto it = events.rbegin(); it != events.rend(); ++it) {
    if (it->to == "NotResponding") return status_from_name(it->from).value_or(RunStatus::kRunning);
  }
  return RunStatus::kRunning;
}

}  // namespace

Status start_attempt(Tx& tx, Run& run, std::vector<Node>& nodes, const std::string& token_hash, Micros now) {
  run.attempt += 1;
  run.node = nodes.front().id;
  run.exit_code.reset();
  run.signal.reset();
  run.error = nullptr;  // what an earlier attempt said of itself
  std::vector<std::string> names;
  for (const auto& node : nodes) names.push_back(node.id);
  ROOST_CHECK(insert_attempt(tx, {run.seq, run.attempt, *run.node, true, now, {}, {}}, names, token_hash, now));
  ROOST_CHECK(save_run(tx, run));
  for (auto& node : nodes) {
    node.enter(NodeState::kRunning, now);
    ROOST_CHECK(save_node(tx, node));
  }
  return {};
}

Result<bool> mark_ready(Tx& tx, const Run& run, int node_rank, const Json& facts) {
  ROOST_TRY(auto parts, attempt_parts(tx, run.seq, run.attempt));
  for (auto& part : parts) {
    if (part.node_rank != node_rank || part.state != PartState::kAssigned) continue;
    part.state = PartState::kReady;
    part.facts = facts;
    ROOST_CHECK(save_part(tx, part));
  }
  return !facts_of_all(parts).is_null();
}

Json facts_of_all(const std::vector<AttemptPart>& parts) {
  Json all = Json::array();
  for (const auto& part : parts) {
    if (!part.facts.is_object()) return nullptr;
    all.push_back(part.facts);
  }
  return all;
}

Status lose_part(Tx& tx, AttemptPart& part, const std::string& reason, Micros now) {
  part.state = PartState::kLost;
  part.report = {{"lost", reason}};
  part.ended = now;
  ROOST_CHECK(save_part(tx, part));
  ROOST_CHECK(stop_attempt(tx, part.run, part.attempt, now));
  return {};
}

Result<Micros> time_of_news(Tx& tx, const Run& run, Micros ago, Micros now) {
  ROOST_TRY(const auto attempt, open_attempt(tx, run.seq));
  ROOST_TRY(const Micros last, newest_event_time(tx, run.seq));
  return std::min(now, std::max({now - ago, last, attempt ? attempt->created : 0}));
}

Status mark_started(Tx& tx, Run& run, int node_rank, Micros started) {
  ROOST_TRY(auto parts, attempt_parts(tx, run.seq, run.attempt));
  for (auto& part : parts) {
    if (part.node_rank != node_rank || part.is_over()) continue;
    part.state = PartState::kStarted;
    ROOST_CHECK(save_part(tx, part));
  }
  if (run.status != RunStatus::kQueued && run.status != RunStatus::kProvisioning) return {};
  if (!run.started) run.started = started;
  if (run.spec["max_run_duration_seconds"].is_number_integer()) {
    run.deadline = started + run.spec["max_run_duration_seconds"].get<std::int64_t>() * kSecond;
  }
  std::string where = "on " + run.node.value_or("");
  if (parts.size() > 1) where += fmt::format(" and {} more", parts.size() - 1);
  return move_run(tx, run, RunStatus::kRunning, where, started);
}

Status mark_exited(Tx& tx, Run& run, Micros exited) {
  if (run.status == RunStatus::kNotResponding) ROOST_CHECK(mark_heard(tx, run, exited));
  if (run.status != RunStatus::kRunning) return {};
  ROOST_TRY(const auto attempt, open_attempt(tx, run.seq));
  if (attempt && attempt->preempted) return {};  // it will go on elsewhere, unless it ended by itself
  return move_run(tx, run, RunStatus::kFinalizing, "the process ended; collecting outputs", exited);
}

namespace {

Status check_goes_on(const Run& run) {
  if (!is_terminal(run.status)) return {};
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("run {} has ended already: {}", run.id, status_name(run.status)));
}

// Whether fail() was called for it: until a run ends nothing else gives it an error without canceling it.
bool was_failed(const Run& run) { return run.cancel_reason.empty() && run.error.is_object(); }

}  // namespace

Status request_cancel(Tx& tx, Run& run, const std::string& reason, Micros now, const Json& error) {
  if (run.status == RunStatus::kCancelRequested) return {};
  ROOST_CHECK(check_goes_on(run));
  if (!was_failed(run)) {
    run.cancel_reason = reason;
    run.error = error;
  }
  if (has_no_node(run)) return end_interactive(tx, run, RunStatus::kCanceled, reason, now);
  ROOST_TRY(const auto open, open_attempt(tx, run.seq));
  return move_run(tx, run, open ? RunStatus::kCancelRequested : RunStatus::kCanceled, reason, now);
}

Status request_fail(Tx& tx, Run& run, Json error, bool by_itself, Micros now) {
  ROOST_CHECK(check_goes_on(run));
  if (!run.cancel_reason.empty() || was_failed(run)) return {};
  run.error = std::move(error);
  const std::string reason = text_at(run.error, "message");
  if (has_no_node(run)) return end_interactive(tx, run, RunStatus::kFailed, reason, now);
  if (by_itself) return save_run(tx, run);
  ROOST_TRY(const auto open, open_attempt(tx, run.seq));
  return move_run(tx, run, open ? RunStatus::kCancelRequested : RunStatus::kFailed, reason, now);
}

Status end_interactive(Tx& tx, Run& run, RunStatus to, const std::string& reason, Micros now) {
  ROOST_CHECK(check_goes_on(run));
  ROOST_CHECK(move_run(tx, run, RunStatus::kFinalizing, "ended by its owner", now));
  return move_run(tx, run, to, reason, now);
}

Status mark_silent(Tx& tx, Run& run, const std::string& reason, Micros now) {
  if (!may_follow(run.status, RunStatus::kNotResponding)) return {};
  return move_run(tx, run, RunStatus::kNotResponding, reason, now);
}

Status mark_heard(Tx& tx, Run& run, Micros now) {
  if (run.status != RunStatus::kNotResponding) return {};
  ROOST_TRY(const RunStatus before, status_before_silence(tx, run));
  const RunStatus back = may_follow(RunStatus::kNotResponding, before) ? before : RunStatus::kRunning;
  return move_run(tx, run, back, "the node answers again", now);
}

namespace {

struct Tries {
  bool this_one = false;         // got as far as Running
  std::int64_t started = 0;      // so many did
  std::int64_t false_starts = 0;
};

// One whose node died before it ran, or was taken away, costs no retry.
Result<Tries> count_tries(Tx& tx, const Run& run) {
  ROOST_TRY(const auto events, run_events(tx, run.seq));
  ROOST_TRY(const auto preempted, preempted_attempts(tx, run.seq));
  std::set<std::int64_t> started;
  for (const auto& event : events) {
    if (event.to == "Running") started.insert(event.attempt);
  }
  for (const std::int64_t attempt : preempted) started.erase(attempt);
  const auto count = static_cast<std::int64_t>(started.size());
  return Tries{started.contains(run.attempt), count,
               run.attempt - count - static_cast<std::int64_t>(preempted.size())};
}

}  // namespace

Status give_up_attempt(Tx& tx, Run& run, const std::string& reason, Micros now) {
  ROOST_CHECK(close_attempt(tx, run.seq, run.attempt));
  if (run.status == RunStatus::kCancelRequested && !was_failed(run)) {
    return move_run(tx, run, RunStatus::kCanceled, run.cancel_reason + "; " + reason, now);
  }
  ROOST_CHECK(mark_silent(tx, run, reason, now));
  run.deadline.reset();
  if (was_failed(run)) return move_run(tx, run, RunStatus::kFailed, text_at(run.error, "message") + "; " + reason, now);
  ROOST_TRY(const Tries tries, count_tries(tx, run));
  if (!tries.this_one && tries.false_starts < kMostFalseStarts) {
    return move_run(tx, run, RunStatus::kQueued, reason + " before the run began; trying again", now);
  }
  if (tries.this_one && tries.started <= run.max_retries) {
    return move_run(tx, run, RunStatus::kQueued,
                    fmt::format("{}; trying again ({} of {} retries)", reason, tries.started,
                                run.max_retries),
                    now);
  }
  run.error = {{"code", "node_lost"},
               {"message", reason + (run.max_retries > 0 ? "; no retries are left"
                                                         : "; submit with --max-retries to try again "
                                                           "by itself")},
               {"last_lines", Json::array()},
               {"node", run.node ? Json(*run.node) : Json()}};
  return move_run(tx, run, RunStatus::kFailed, reason, now);
}

Result<Json> make_order(Tx& tx, const Run& run, int node_rank, const std::string& token, Micros now) {
  ROOST_TRY(const Workspace workspace, find_workspace(tx, run.workspace));
  ROOST_TRY(const Experiment experiment, find_experiment(tx, run.workspace, run.experiment));
  std::string root = run.id;
  std::optional<std::string> parent = run.parent;
  for (int depth = 0; parent && depth < 64; ++depth) {
    ROOST_TRY(const Run above, find_run(tx, *parent));
    root = above.id;
    parent = above.parent;
  }
  Json variables = run_variables(run, workspace.id, experiment.id, root, token, now + kTokenLifetime);
  variables.update(object_at(run.environment, "variables"));
  variables.update(object_at(run.spec, "environment_variables"));
  add_mlflow_variables(variables, run.workspace, wire_run_id(run.id, run.seq), wire_experiment_id(experiment), token);
  Json order = {{"run", run.id},
                {"attempt", run.attempt},
                {"node_rank", node_rank},
                {"gang", gang_json(gang_of_spec(run.spec))},
                {"token", token},
                {"snapshot", run.snapshot ? Json(*run.snapshot) : Json()},
                {"python", text_at(run.environment, "python")},
                {"variables", std::move(variables)}};
  // A node that does not see this machine's disk fetches it.
  if (run.environment.contains("folder")) {
    order["environment"] = {{"digest", text_at(run.environment, "digest")}, {"folder", run.environment["folder"]}};
  }
  if (run.environment.contains("image")) order["image"] = run.environment["image"];
  ROOST_TRY(const auto leases, leases_of_attempt(tx, run.seq, run.attempt));
  for (const auto& lease : leases) {
    if (lease.node_rank == node_rank) order["lease"] = lease_json(lease.lease);
  }
  if (run.environment.contains("limits")) order["limits"] = run.environment["limits"];
  for (const char* key : {"script", "arguments", "command", "inputs"}) {
    if (run.spec.contains(key)) order[key] = run.spec[key];
  }
  return order;
}

}  // namespace roost
