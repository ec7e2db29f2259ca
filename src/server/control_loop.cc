#include "server/control_loop.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/log.h"
#include "base/text.h"
#include "execute/attempts.h"
#include "execute/preempt.h"
#include "records/compute_records.h"
#include "records/queue_records.h"
#include "records/run_records.h"
#include "schedule/plan.h"
#include "server/lose_node.h"
#include "server/report_error.h"

namespace roost {
namespace {

constexpr auto kTick = std::chrono::milliseconds(250);
constexpr Micros kRetryAfterFailedStart = 5 * kSecond;
constexpr Micros kLeaveGrace = 10 * kSecond;
constexpr Micros kPreemptLimit = 60 * kSecond;  // after the grace, to send the last checkpoint
constexpr auto kLongCycle = std::chrono::milliseconds(10);
constexpr Micros kStopLimit = 7 * kSecond;
constexpr Micros kStopSilence = 5 * kSecond;

}  // namespace

void ControlLoop::start() {
  thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

void ControlLoop::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void ControlLoop::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
}

void ControlLoop::run(std::stop_token stop) {
  auto next_watch = std::chrono::steady_clock::now();
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, kTick, [this] { return woken_; });
      woken_ = false;
    }
    if (stop.stop_requested()) return;
    if (std::chrono::steady_clock::now() >= next_watch) {
      watch_nodes();
      watch_deadlines();
      watch_stopping();
      next_watch = std::chrono::steady_clock::now() + kTick;
    }
    const auto began = std::chrono::steady_clock::now();
    schedule();
    const auto took = std::chrono::steady_clock::now() - began;
    if (took < kLongCycle) continue;
    // However long a queue is and however often it changes, planning takes a part of one core only.
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, std::min<std::chrono::nanoseconds>(3 * took, 2 * kTick), [] { return false; });
  }
}

std::vector<ComputePlan> ControlLoop::look() {
  std::vector<ComputePlan> found;
  report_error(app_.db->read([&](Tx& tx) -> Status {
    found.clear();
    ROOST_CHECK(queues_.refresh(tx, app_.clock.now()));
    ROOST_TRY(const auto computes, list_computes(tx));
    for (const auto& compute : computes) {
      if (compute.is_slurm()) continue;  // Slurm's own queue decides there
      ComputeView view;
      view.compute = compute;
      view.waiting = queues_.queue(compute.workspace, compute.name);
      view.past = queues_.past(compute.workspace, compute.name);
      view.running = queues_.running(compute.workspace, compute.name);
      view.promised = queues_.promised(compute.workspace, compute.name);
      ROOST_TRY(view.nodes, list_nodes(tx, compute.workspace, compute.name));
      if (view.waiting || !view.nodes.empty() || compute.min_nodes > 0 || compute.deleting || compute.draining) {
        found.push_back({std::move(view), {}});
      }
    }
    return {};
  }), "reading the queue");
  return found;
}

std::vector<Preemption> ControlLoop::plan(std::vector<ComputePlan>& computes, Micros now) {
  if (app_.config.local_nodes > 0) divide_machine(app_.config.local_nodes, computes);
  for (auto& [view, plan] : computes) {
    plan = memory_.plan(view, now);
    queues_.promised(view.compute.workspace, view.compute.name) = plan.promised;
  }
  if (app_.config.local_nodes == 0) return {};
  return share_machine(app_.config.local_nodes, computes);
}

Status ControlLoop::carry_out(Tx& tx, const ComputePlan& decided, Micros now, Changed& changed) {
  const auto& [view, plan] = decided;
  for (const auto& start : plan.starts) {
    ROOST_TRY(Run run, run_by_row(tx, start.run));
    std::vector<Node> nodes;
    for (const auto& id : start.nodes) {
      ROOST_TRY(Node node, find_node(tx, id));
      if (node.state == NodeState::kIdle) nodes.push_back(std::move(node));
    }
    const bool waits = run.status == RunStatus::kQueued || run.status == RunStatus::kProvisioning;
    if (!waits || nodes.size() != start.nodes.size()) continue;
    const std::string token = app_.access->attempt_token(run.id, run.attempt + 1);
    ROOST_CHECK(start_attempt(tx, run, nodes, Access::hash(token), now));
    changed.nodes.insert(changed.nodes.end(), start.nodes.begin(), start.nodes.end());
    changed.runs.push_back(run.id);
    changed.started.push_back(run.seq);
  }
  for (const auto& coming : plan.coming) {
    if (coming.told) continue;
    ROOST_TRY(Run run, run_by_row(tx, coming.run));
    if (run.status != RunStatus::kQueued) continue;
    ROOST_CHECK(move_run(tx, run, RunStatus::kProvisioning, fmt::format("starting a node of {}", view.compute.name),
                         now));
    changed.runs.push_back(run.id);
  }
  for (const auto& id : plan.nodes_to_end) {
    ROOST_TRY(Node node, find_node(tx, id));
    if (node.state != NodeState::kIdle) continue;
    node.enter(NodeState::kLeaving, now);
    ROOST_CHECK(save_node(tx, node));
    changed.nodes.push_back(id);
  }
  if (view.compute.deleting && view.nodes.empty()) return remove_compute(tx, view.compute);
  if (view.compute.draining && !view.compute.deleting && !view.waiting) {
    ROOST_TRY(const std::int64_t active, count_active(tx, view.compute.workspace, view.compute.name));
    if (active > 0) return {};
    Compute compute = view.compute;
    compute.deleting = true;
    compute.modified = now;
    return save_compute(tx, compute);
  }
  return {};
}

Status ControlLoop::take_nodes(Tx& tx, const Preemption& preemption, Micros now, Changed& changed) {
  ROOST_TRY(const Run run, run_by_row(tx, preemption.run));
  ROOST_TRY(const Run needs, run_by_row(tx, preemption.for_run));
  ROOST_TRY(const auto ids, nodes_of_run(tx, run.seq, run.attempt));
  Preempted preempted;
  for (auto id = ids.rbegin(); id != ids.rend() && std::ssize(preempted.nodes) < preemption.nodes; ++id) {
    ROOST_TRY(Node node, find_node(tx, *id));
    const std::string why = fmt::format("{} on {} needs the place of node {}", needs.id, needs.compute, *id);
    ROOST_CHECK(preempt_node(tx, node, why, now, preempted));
  }
  changed.nodes.insert(changed.nodes.end(), preempted.told.begin(), preempted.told.end());
  changed.nodes.insert(changed.nodes.end(), preempted.nodes.begin(), preempted.nodes.end());
  changed.runs.insert(changed.runs.end(), preempted.runs.begin(), preempted.runs.end());
  return {};
}

void ControlLoop::schedule() {
  auto computes = look();
  const Micros now = app_.clock.now();
  const auto preemptions = plan(computes, now);
  const bool anything = !preemptions.empty() || std::any_of(computes.begin(), computes.end(), [](const ComputePlan& c) {
    const bool untold = std::any_of(c.plan.coming.begin(), c.plan.coming.end(),
                                    [](const Plan::Coming& coming) { return !coming.told; });
    return !c.plan.starts.empty() || !c.plan.nodes_to_end.empty() || untold ||
           (c.view.compute.deleting && c.view.nodes.empty()) || (c.view.compute.draining && !c.view.compute.deleting);
  });
  Changed changed;
  if (anything) {
    const Status written = app_.db->write([&](Tx& tx) -> Status {
      changed = {};
      for (const auto& decided : computes) ROOST_CHECK(carry_out(tx, decided, now, changed));
      for (const auto& preemption : preemptions) ROOST_CHECK(take_nodes(tx, preemption, now, changed));
      return {};
    });
    report_error(written, "starting runs");
    if (!written) return;
  }
  for (const auto run : changed.started) queues_.started(run);
  for (const auto& node : changed.nodes) app_.node_changed(node);
  for (const auto& run : changed.runs) app_.run_changed(run);
  for (const auto& [view, plan] : computes) {
    if (plan.nodes_to_add > 0) add_nodes(view.compute, plan.nodes_to_add);
  }
}

void ControlLoop::add_nodes(const Compute& compute, std::int64_t count) {
  const std::string key = compute.workspace + "/" + compute.name;
  const Micros now = app_.clock.now();
  if (const auto it = not_before_.find(key); it != not_before_.end() && now < it->second) return;
  for (std::int64_t i = 0; i < count; ++i) {
    Node node;
    node.workspace = compute.workspace;
    node.compute = compute.name;
    node.started = now;
    node.enter(NodeState::kPreparing, now);
    const Status inserted = app_.db->write([&](Tx& tx) -> Status {
      ROOST_TRY(const auto nodes, list_nodes(tx, compute.workspace, compute.name));
      std::set<std::int64_t> taken;
      for (const auto& other : nodes) taken.insert(other.slot);
      node.slot = 0;
      while (taken.contains(node.slot)) ++node.slot;
      node.id = fmt::format("{}-{}-{}", compute.name, node.slot, random_hex(3));
      return insert_node(tx, node, Access::hash(app_.access->node_token(node.id)));
    });
    if (!inserted) {
      log_error("adding a node: {}", inserted.error().message);
      return;
    }
    app_.nodes.heard(node.id, now);
    Status up = app_.provider->start_node(node, compute, app_.access->node_token(node.id));
    if (up) {
      up = app_.db->write([&](Tx& tx) -> Status {
        ROOST_TRY(Node stored, find_node(tx, node.id));
        stored.pid = node.pid;
        stored.pid_started = node.pid_started;
        return save_node(tx, stored);
      });
    }
    if (!up) {
      log_error("node {}: {}", node.id, up.error().message);
      app_.provider->end_node(node);
      report_error(app_.db->write([&](Tx& tx) { return remove_node(tx, node.id); }), "removing a node");
      not_before_[key] = app_.clock.now() + kRetryAfterFailedStart;
      return;
    }
    log_info("node {}: started, process {}", node.id, node.pid);
  }
}

void ControlLoop::watch_nodes() {
  std::vector<Node> nodes;
  report_error(app_.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(nodes, list_nodes(tx));
    return {};
  }), "reading the nodes");
  const Micros now = app_.clock.now();
  for (const auto& node : nodes) {
    if (node.state == NodeState::kUnusable) {
      if (now - node.state_since < kRetryAfterFailedStart) continue;
      report_error(app_.db->write([&](Tx& tx) { return remove_node(tx, node.id); }), "removing a node");
      continue;
    }
    const bool is_local = node.allocation.empty();  // else Slurm starts and ends it
    if (is_local && node.pid == 0 && now - node.started < kRetryAfterFailedStart) continue;  // being started
    // A server that was killed just after it had started a node does not know its process, but hears it.
    const bool known = is_local && (node.pid != 0 || node.state == NodeState::kPreparing);
    const Micros silent = now - app_.nodes.last_heard(node.id, now);
    if (known && !app_.provider->may_be_alive(node)) {
      lose_node(node, node.state == NodeState::kLeaving
                          ? "left"
                          : fmt::format("the runner of node {} died", node.id));
    } else if (silent > static_cast<Micros>(app_.config.node_lost_seconds * kSecond)) {
      if (is_local) app_.provider->end_node(node);
      lose_node(node, fmt::format("node {} was not heard of for {}", node.id,
                                  human_duration(static_cast<double>(silent) / kSecond)));
    } else if (is_local && node.state == NodeState::kLeaving && now - node.state_since > kLeaveGrace) {
      app_.provider->end_node(node);
    } else if (is_local && node.state == NodeState::kPreempted &&
               now - node.state_since > app_.config.cancel_grace_seconds * kSecond + kPreemptLimit) {
      app_.provider->end_node(node);
    } else if (silent > static_cast<Micros>(app_.config.node_silent_seconds * kSecond) &&
               node.state == NodeState::kRunning) {
      std::string changed;
      report_error(app_.db->write([&](Tx& tx) -> Status {
        ROOST_TRY(const auto parts, open_parts(tx, node.id));
        for (const auto& part : parts) {
          ROOST_TRY(Run run, run_by_row(tx, part.run));
          if (run.status == RunStatus::kNotResponding) continue;
          changed = run.id;
          ROOST_CHECK(mark_silent(tx, run, fmt::format("node {} does not answer", node.id), now));
        }
        return {};
      }), "watching nodes");
      if (!changed.empty()) app_.run_changed(changed);
    }
  }
}

void ControlLoop::lose_node(const Node& node, const std::string& reason) {
  report_error(::roost::lose_node(app_, node, reason), "removing a node");
  if (!node.allocation.empty()) {
    log_info("node {}: {}", node.id, reason);
    return;
  }
  const Micros now = app_.clock.now();
  if (node.state == NodeState::kPreparing) {
    not_before_[node.workspace + "/" + node.compute] = now + kRetryAfterFailedStart;
    log_error("node {} ended before it came up; see {}", node.id,
              (app_.config.data / "nodes" / node.id / "runner.log").string());
  } else {
    log_info("node {}: {}", node.id, reason);
    app_.provider->clean_up(node);
  }
}

void ControlLoop::watch_deadlines() {
  const Micros now = app_.clock.now();
  std::vector<std::int64_t> late;
  report_error(app_.db->read([&](Tx& tx) -> Status {
    Rows rows = tx.query(
        // By the attempts, which are as many as there are nodes, however many runs wait.
        "SELECT r.seq FROM attempt a INDEXED BY attempt_open CROSS JOIN run r ON r.seq = a.run WHERE a.open = 1"
        " AND r.deadline <= ?",
        now);
    while (rows.next()) late.push_back(rows.integer(0));
    return rows.status();
  }), "reading time limits");
  for (const auto seq : late) {
    std::string run_id;
    std::string node;
    Run late_run;
    report_error(app_.db->write([&](Tx& tx) -> Status {
      ROOST_TRY(Run run, run_by_row(tx, seq));
      if (run.status != RunStatus::kRunning || !run.deadline) return {};
      run.deadline.reset();
      run_id = run.id;
      node = run.node.value_or("");
      const auto limit = run.spec["max_run_duration_seconds"].get<std::int64_t>();
      const std::string reason = fmt::format("the time limit of {} s was reached", limit);
      run.error = {{"code", "time_limit"}, {"message", reason},
                   {"last_lines", Json::array()}, {"node", node}};
      ROOST_CHECK(request_cancel(tx, run, reason, now));
      late_run = std::move(run);
      return {};
    }), "enforcing a time limit");
    if (run_id.empty()) continue;
    app_.run_changed(run_id);
    app_.nodes_changed(late_run);
  }
}

// A node that does not end its share of a run that failed, and does not answer either, is lost: the
// others must not wait for it.
void ControlLoop::watch_stopping() {
  const Micros now = app_.clock.now();
  std::vector<Node> silent;
  report_error(app_.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const auto attempts, stopping_attempts(tx, now - kStopLimit));
    for (const auto& attempt : attempts) {
      ROOST_TRY(const auto parts, attempt_parts(tx, attempt.run, attempt.attempt));
      for (const auto& part : parts) {
        if (part.is_over() || now - app_.nodes.last_heard(part.node, now) < kStopSilence) continue;
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

}  // namespace roost
