#include "execute/run_watch.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/report_error.h"
#include "base/text.h"
#include "execute/attempts.h"
#include "execute/lose_node.h"
#include "execute/preempt.h"
#include "records/compute_records.h"
#include "records/lease_records.h"
#include "records/run_records.h"

namespace roost {
namespace {

// How long a node whose start is not written down may take, and one that could not be started stays to be seen.
constexpr Micros kStartPause = 5 * kSecond;
constexpr Micros kLeaveGrace = 10 * kSecond;
constexpr Micros kPreemptLimit = 60 * kSecond;  // after the grace, to send the last checkpoint
constexpr Micros kStopLimit = 7 * kSecond;
constexpr Micros kStopSilence = 5 * kSecond;

Micros seconds(double count) { return static_cast<Micros>(count * kSecond); }

}  // namespace

void RunWatch::watch_nodes() {
  std::vector<Node> nodes;
  report_error(execute_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(nodes, list_nodes(tx));
    return {};
  }), "reading the nodes");
  for (const auto& node : nodes) watch_node(node);
}

void RunWatch::watch_leases() {
  std::vector<NodeLease> left;
  report_error(execute_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(left, leases_without_node(tx));
    return {};
  }), "reading what lost nodes had");
  std::erase_if(left, [&](const NodeLease& lease) { return execute_.handles.left_processes(lease.node); });
  if (left.empty()) return;
  report_error(execute_.db.write([&](Tx& tx) -> Status {
    for (const auto& lease : left) ROOST_CHECK(free_lease(tx, lease.run, lease.attempt, lease.node_rank, execute_.clock.now()));
    return {};
  }), "freeing what lost nodes had");
  execute_.wake.notify();
}

void RunWatch::watch_node(const Node& node) {
  const Micros in_state = ages_.age("state/" + node.id, node.state_since);
  if (node.state == NodeState::kUnusable) {
    if (in_state < kStartPause) return;
    report_error(execute_.db.write([&](Tx& tx) { return remove_node(tx, node.id); }), "removing a node");
    return;
  }
  NodeHandles::Look look = execute_.handles.look(node);
  if (look == NodeHandles::Look::kStarting) {
    if (ages_.age("start/" + node.id, node.started) < kStartPause) return;
    // A server that was killed just after it had started a node does not know its process, but hears it.
    if (node.state == NodeState::kPreparing) look = NodeHandles::Look::kGone;
  }
  const Micros silent = execute_.nodes.silence(node.id);
  if (look == NodeHandles::Look::kGone) {
    if (execute_.handles.was_evicted(node)) note_eviction(node);
    lose(node, node.state == NodeState::kLeaving ? "left" : fmt::format("the runner of node {} died", node.id));
  } else if (silent > seconds(execute_.settings.node_lost_seconds)) {
    execute_.handles.end(node);
    lose(node, fmt::format("node {} was not heard of for {}", node.id,
                           human_duration(static_cast<double>(silent) / kSecond)));
  } else if (node.state == NodeState::kLeaving && in_state > kLeaveGrace) {
    execute_.handles.end(node);
  } else if (node.state == NodeState::kPreempted &&
             in_state > seconds(execute_.settings.cancel_grace_seconds) + kPreemptLimit) {
    execute_.handles.end(node);
  } else if (silent > seconds(execute_.settings.node_silent_seconds) && node.state == NodeState::kRunning) {
    mark_silent_runs(node);
  }
}

// The machine went down while this server was away: what the node did goes on elsewhere, and costs no retry.
void RunWatch::note_eviction(const Node& node) {
  Preempted ignored;  // nobody is there to be told
  report_error(execute_.db.write([&](Tx& tx) -> Status {
    ROOST_TRY(Node stored, find_node(tx, node.id));
    return preempt_node(tx, stored, fmt::format("node {} was told to end", node.id), execute_.clock.now(), ignored);
  }), "noting why a node ended");
}

void RunWatch::mark_silent_runs(const Node& node) {
  std::string changed;
  report_error(execute_.db.write([&](Tx& tx) -> Status {
    changed.clear();
    ROOST_TRY(const auto parts, open_parts(tx, node.id));
    for (const auto& part : parts) {
      ROOST_TRY(Run run, run_by_row(tx, part.run));
      if (run.status == RunStatus::kNotResponding) continue;
      changed = run.id;
      ROOST_CHECK(mark_silent(tx, run, fmt::format("node {} does not answer", node.id), execute_.clock.now()));
    }
    return {};
  }), "watching nodes");
  if (!changed.empty()) execute_.changes.run_changed(changed);
}

void RunWatch::lose(const Node& node, const std::string& reason) {
  report_error(lose_node(execute_, node, reason), "removing a node");
  execute_.handles.gone(node, reason);
}

// A deadline is stored by the wall clock, for a server that is started again. One that this server finds at its
// first look has as much left as the wall clock says; one that comes later was set a moment ago, and has it all.
void RunWatch::watch_deadlines() {
  const Micros now = execute_.serving.now();
  const Micros wall = execute_.clock.now();
  std::map<std::int64_t, Due> due;
  const Status read = execute_.db.read([&](Tx& tx) -> Status {
    due.clear();
    ROOST_TRY(const auto deadlines, open_deadlines(tx));
    for (const auto& [seq, deadline] : deadlines) due[seq] = {deadline, 0};
    for (auto& [seq, when] : due) {
      if (const auto known = due_.find(seq); known != due_.end() && known->second.deadline == when.deadline) {
        when = known->second;
        continue;
      }
      ROOST_TRY(const Run run, run_by_row(tx, seq));
      const Micros limit = seconds(json_number(run.spec["max_run_duration_seconds"]).value_or(0));
      when.at = now + (has_seen_deadlines_ ? limit : std::clamp<Micros>(when.deadline - wall, 0, limit));
    }
    return {};
  });
  report_error(read, "reading time limits");
  if (!read) return;
  has_seen_deadlines_ = true;
  due_ = std::move(due);
  for (const auto& [run, when] : due_) {
    if (when.at <= now) end_late_run(run);
  }
}

void RunWatch::end_late_run(std::int64_t seq) {
  std::string run_id;
  Run late_run;
  report_error(execute_.db.write([&](Tx& tx) -> Status {
    run_id.clear();
    ROOST_TRY(Run run, run_by_row(tx, seq));
    if (run.status != RunStatus::kRunning || !run.deadline) return {};
    run.deadline.reset();
    run_id = run.id;
    const auto limit = run.spec["max_run_duration_seconds"].get<std::int64_t>();
    const std::string reason = fmt::format("the time limit of {} s was reached", limit);
    const Json error = {{"code", "time_limit"}, {"message", reason},
                        {"last_lines", Json::array()}, {"node", run.node.value_or("")}};
    ROOST_CHECK(request_cancel(tx, run, reason, execute_.clock.now(), error));
    late_run = std::move(run);
    return {};
  }), "enforcing a time limit");
  if (run_id.empty()) return;
  execute_.changes.run_changed(run_id);
  execute_.changes.nodes_changed(execute_.db, late_run);
}

void RunWatch::watch_stopping() {
  std::vector<Node> silent;
  report_error(execute_.db.read([&](Tx& tx) -> Status {
    silent.clear();
    ROOST_TRY(const auto attempts, stopping_attempts(tx));
    for (const auto& attempt : attempts) {
      if (ages_.age(fmt::format("stop/{}/{}", attempt.run, attempt.attempt), *attempt.stopping) < kStopLimit) continue;
      ROOST_TRY(const auto parts, attempt_parts(tx, attempt.run, attempt.attempt));
      for (const auto& part : parts) {
        if (part.is_over() || execute_.nodes.silence(part.node) < kStopSilence) continue;
        if (auto node = find_node(tx, part.node)) silent.push_back(std::move(*node));
      }
    }
    return {};
  }), "reading what is being stopped");
  for (const auto& node : silent) {
    execute_.handles.end(node);
    lose(node, fmt::format("node {} did not answer when its processes had to end", node.id));
  }
}

void RunWatch::watch_parts() {
  std::vector<AttemptPart> lost;
  report_error(execute_.db.read([&](Tx& tx) -> Status {
    lost.clear();
    ROOST_TRY(const auto parts, all_open_parts(tx));
    for (const auto& [run, part] : parts) {
      const std::string name = fmt::format("part/{}/{}/{}", part.run, part.attempt, part.node_rank);
      if (execute_.nodes.may_have(part.node, {run, part.attempt, part.node_rank})) {
        ages_.forget(name);
      } else if (ages_.age(name, 0) > seconds(execute_.settings.node_silent_seconds)) {
        lost.push_back(part);
      }
    }
    return {};
  }), "reading what nodes have");
  for (const auto& part : lost) {
    report_error(give_up_part(execute_, part, fmt::format("node {} does not have its part of the run", part.node)),
                 "giving up what nobody has");
  }
}

void RunWatch::watch_canceled() {
  const Micros limit = seconds(execute_.settings.cancel_grace_seconds + std::min(60.0, execute_.settings.node_lost_seconds));
  std::vector<AttemptPart> late;
  report_error(execute_.db.read([&](Tx& tx) -> Status {
    late.clear();
    ROOST_TRY(const auto parts, canceled_parts(tx));
    for (const auto& part : parts) {
      const std::string name = fmt::format("cancel/{}/{}/{}", part.run, part.attempt, part.node_rank);
      if (ages_.age(name, 0) > limit) late.push_back(part);
    }
    return {};
  }), "reading what is being canceled");
  for (const auto& part : late) {
    report_error(give_up_part(execute_, part, fmt::format("node {} did not report its end", part.node)),
                 "giving up what was canceled");
  }
}

}  // namespace roost
