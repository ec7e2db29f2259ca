// What the control loop watches: nodes that fall silent or die, runs that take too long, work that nobody has.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "execute/attempts.h"
#include "execute/preempt.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "server/control_loop.h"
#include "server/lose_node.h"
#include "base/report_error.h"

namespace roost {
namespace {

constexpr Micros kLeaveGrace = 10 * kSecond;
constexpr Micros kPreemptLimit = 60 * kSecond;  // after the grace, to send the last checkpoint
constexpr Micros kStopLimit = 7 * kSecond;
constexpr Micros kStopSilence = 5 * kSecond;

Micros seconds(double count) { return static_cast<Micros>(count * kSecond); }

}  // namespace

void ControlLoop::watch_nodes() {
  std::vector<Node> nodes;
  report_error(app_.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(nodes, list_nodes(tx));
    return {};
  }), "reading the nodes");
  for (const auto& node : nodes) watch_node(node);
}

void ControlLoop::watch_node(const Node& node) {
  const Micros in_state = ages_.age("state/" + node.id, node.state_since);
  if (node.state == NodeState::kUnusable) {
    if (in_state < kStartPause) return;
    report_error(app_.db->write([&](Tx& tx) { return remove_node(tx, node.id); }), "removing a node");
    return;
  }
  const bool is_local = node.allocation.empty();  // else Slurm starts and ends it
  if (is_local && node.pid == 0 && ages_.age("start/" + node.id, node.started) < kStartPause) return;  // being started
  // A server that was killed just after it had started a node does not know its process, but hears it.
  const bool known = is_local && (node.pid != 0 || node.state == NodeState::kPreparing);
  const Micros silent = app_.nodes.silence(node.id);
  if (known && !app_.provider->may_be_alive(node)) {
    if (app_.provider->was_evicted(node)) note_eviction(node);
    lose_node(node, node.state == NodeState::kLeaving ? "left" : fmt::format("the runner of node {} died", node.id));
  } else if (silent > seconds(app_.config.node_lost_seconds)) {
    if (is_local) app_.provider->end_node(node);
    lose_node(node, fmt::format("node {} was not heard of for {}", node.id,
                                human_duration(static_cast<double>(silent) / kSecond)));
  } else if (is_local && node.state == NodeState::kLeaving && in_state > kLeaveGrace) {
    app_.provider->end_node(node);
  } else if (is_local && node.state == NodeState::kPreempted &&
             in_state > seconds(app_.config.cancel_grace_seconds) + kPreemptLimit) {
    app_.provider->end_node(node);
  } else if (silent > seconds(app_.config.node_silent_seconds) && node.state == NodeState::kRunning) {
    mark_silent_runs(node);
  }
}

// The machine went down while this server was away: what the node did goes on elsewhere, and costs no retry.
void ControlLoop::note_eviction(const Node& node) {
  Preempted ignored;  // nobody is there to be told
  report_error(app_.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Node stored, find_node(tx, node.id));
    return preempt_node(tx, stored, fmt::format("node {} was told to end", node.id), app_.clock.now(), ignored);
  }), "noting why a node ended");
}

void ControlLoop::mark_silent_runs(const Node& node) {
  std::string changed;
  report_error(app_.db->write([&](Tx& tx) -> Status {
    changed.clear();
    ROOST_TRY(const auto parts, open_parts(tx, node.id));
    for (const auto& part : parts) {
      ROOST_TRY(Run run, run_by_row(tx, part.run));
      if (run.status == RunStatus::kNotResponding) continue;
      changed = run.id;
      ROOST_CHECK(mark_silent(tx, run, fmt::format("node {} does not answer", node.id), app_.clock.now()));
    }
    return {};
  }), "watching nodes");
  if (!changed.empty()) app_.changes.run_changed(changed);
}

void ControlLoop::lose_node(const Node& node, const std::string& reason) {
  report_error(::roost::lose_node(app_, node, reason), "removing a node");
  if (!node.allocation.empty()) {
    log_info("node {}: {}", node.id, reason);
    return;
  }
  if (node.state == NodeState::kPreparing) {
    // Another host may do; else not at once.
    if (!app_.provider->note_failed_start(node)) {
      not_before_[node.workspace + "/" + node.compute] = app_.serving.now() + kStartPause;
    }
    log_error("node {} ended before it came up; see {}", node.id,
              (app_.config.data / "nodes" / node.id / "runner.log").string());
  } else {
    log_info("node {}: {}", node.id, reason);
    app_.provider->clean_up(node);
  }
}

// A deadline is stored by the wall clock, for a server that is started again. One that this server finds at its
// first look has as much left as the wall clock says; one that comes later was set a moment ago, and has it all.
void ControlLoop::watch_deadlines() {
  const Micros now = app_.serving.now();
  const Micros wall = app_.clock.now();
  std::map<std::int64_t, Due> due;
  const Status read = app_.db->read([&](Tx& tx) -> Status {
    due.clear();
    {
      Rows rows = tx.query(
          // By the attempts, which are as many as there are nodes, however many runs wait.
          "SELECT r.seq, r.deadline FROM attempt a INDEXED BY attempt_open CROSS JOIN run r ON r.seq = a.run"
          " WHERE a.open = 1 AND r.deadline IS NOT NULL");
      while (rows.next()) due[rows.integer(0)] = {rows.integer(1), 0};
      ROOST_CHECK(rows.status());
    }
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

void ControlLoop::end_late_run(std::int64_t seq) {
  std::string run_id;
  Run late_run;
  report_error(app_.db->write([&](Tx& tx) -> Status {
    run_id.clear();
    ROOST_TRY(Run run, run_by_row(tx, seq));
    if (run.status != RunStatus::kRunning || !run.deadline) return {};
    run.deadline.reset();
    run_id = run.id;
    const auto limit = run.spec["max_run_duration_seconds"].get<std::int64_t>();
    const std::string reason = fmt::format("the time limit of {} s was reached", limit);
    const Json error = {{"code", "time_limit"}, {"message", reason},
                        {"last_lines", Json::array()}, {"node", run.node.value_or("")}};
    ROOST_CHECK(request_cancel(tx, run, reason, app_.clock.now(), error));
    late_run = std::move(run);
    return {};
  }), "enforcing a time limit");
  if (run_id.empty()) return;
  app_.changes.run_changed(run_id);
  app_.changes.nodes_changed(*app_.db, late_run);
}

// A node that does not end its share of a run that failed, and does not answer either, is lost: the
// others must not wait for it.
void ControlLoop::watch_stopping() {
  std::vector<Node> silent;
  report_error(app_.db->read([&](Tx& tx) -> Status {
    silent.clear();
    ROOST_TRY(const auto attempts, stopping_attempts(tx));
    for (const auto& attempt : attempts) {
      if (ages_.age(fmt::format("stop/{}/{}", attempt.run, attempt.attempt), *attempt.stopping) < kStopLimit) continue;
      ROOST_TRY(const auto parts, attempt_parts(tx, attempt.run, attempt.attempt));
      for (const auto& part : parts) {
        if (part.is_over() || app_.nodes.silence(part.node) < kStopSilence) continue;
        if (auto node = find_node(tx, part.node)) silent.push_back(std::move(*node));
      }
    }
    return {};
  }), "reading what is being stopped");
  for (const auto& node : silent) {
    if (node.allocation.empty()) app_.provider->end_node(node);
    lose_node(node, fmt::format("node {} did not answer when its processes had to end", node.id));
  }
}

// A node that answers but does not have what it was given: the order never came, or what came of it was never
// heard. Nobody will ever report it.
void ControlLoop::watch_parts() {
  std::vector<AttemptPart> lost;
  report_error(app_.db->read([&](Tx& tx) -> Status {
    lost.clear();
    ROOST_TRY(const auto parts, all_open_parts(tx));
    for (const auto& [run, part] : parts) {
      const std::string name = fmt::format("part/{}/{}/{}", part.run, part.attempt, part.node_rank);
      if (app_.nodes.may_have(part.node, {run, part.attempt, part.node_rank})) {
        ages_.forget(name);
      } else if (ages_.age(name, 0) > seconds(app_.config.node_silent_seconds)) {
        lost.push_back(part);
      }
    }
    return {};
  }), "reading what nodes have");
  for (const auto& part : lost) {
    report_error(give_up_part(app_, part, fmt::format("node {} does not have its part of the run", part.node)),
                 "giving up what nobody has");
  }
}

// However a canceled run hangs, it ends: what its nodes have not reported by now is given up.
void ControlLoop::watch_canceled() {
  const Micros limit = seconds(app_.config.cancel_grace_seconds + std::min(60.0, app_.config.node_lost_seconds));
  std::vector<AttemptPart> late;
  report_error(app_.db->read([&](Tx& tx) -> Status {
    late.clear();
    ROOST_TRY(const auto parts, canceled_parts(tx));
    for (const auto& part : parts) {
      const std::string name = fmt::format("cancel/{}/{}/{}", part.run, part.attempt, part.node_rank);
      if (ages_.age(name, 0) > limit) late.push_back(part);
    }
    return {};
  }), "reading what is being canceled");
  for (const auto& part : late) {
    report_error(give_up_part(app_, part, fmt::format("node {} did not report its end", part.node)),
                 "giving up what was canceled");
  }
}

}  // namespace roost
