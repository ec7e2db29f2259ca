#include "server/control_loop.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/log.h"
#include "base/text.h"
#include "execute/attempts.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "schedule/plan.h"
#include "server/lose_node.h"

namespace roost {
namespace {

constexpr auto kTick = std::chrono::milliseconds(250);
constexpr Micros kRetryAfterFailedStart = 5 * kSecond;
constexpr Micros kLeaveGrace = 10 * kSecond;
constexpr Micros kStopLimit = 7 * kSecond;
constexpr Micros kStopSilence = 5 * kSecond;

void report_error(const Status& status, std::string_view doing) {
  if (!status) log_error("{}: {}", doing, status.error().message);
}

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
    schedule();
  }
}

void ControlLoop::schedule() {
  std::vector<ComputeView> views;
  report_error(app_.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const auto computes, list_computes(tx));
    for (const auto& compute : computes) {
      if (compute.is_slurm()) continue;  // Slurm's own queue decides there
      ComputeView view;
      view.compute = compute;
      ROOST_TRY(view.nodes, list_nodes(tx, compute.workspace, compute.name));
      ROOST_TRY(view.waiting, waiting_runs(tx, compute.workspace, compute.name, compute.max_nodes));
      if (!view.waiting.empty() || !view.nodes.empty() || compute.min_nodes > 0 || compute.deleting) {
        views.push_back(std::move(view));
      }
    }
    return {};
  }), "reading the queue");

  const Micros now = app_.clock.now();
  std::vector<std::pair<std::string, std::string>> started;  // run, node
  std::vector<std::string> leaving;
  std::vector<std::pair<const Compute*, std::int64_t>> to_add;
  std::vector<std::pair<const ComputeView*, Plan>> plans;
  bool anything = false;
  for (const auto& view : views) {
    Plan plan = plan_compute(view, now);
    anything = anything || !plan.starts.empty() || !plan.nodes_to_end.empty() ||
               !plan.provisioning.empty() || (view.compute.deleting && view.nodes.empty());
    if (plan.nodes_to_add > 0) to_add.emplace_back(&view.compute, plan.nodes_to_add);
    plans.emplace_back(&view, std::move(plan));
  }
  std::set<std::string> changed_runs;
  if (anything) {
    report_error(app_.db->write([&](Tx& tx) -> Status {
      started.clear();
      leaving.clear();
      for (const auto& [view, plan] : plans) {
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
          for (const auto& node : nodes) started.emplace_back(run.id, node.id);
        }
        for (const auto seq : plan.provisioning) {
          ROOST_TRY(Run run, run_by_row(tx, seq));
          if (run.status != RunStatus::kQueued) continue;
          ROOST_CHECK(move_run(tx, run, RunStatus::kProvisioning,
                               fmt::format("starting a node of {}", view->compute.name), now));
          changed_runs.insert(run.id);
        }
        for (const auto& id : plan.nodes_to_end) {
          ROOST_TRY(Node node, find_node(tx, id));
          if (node.state != NodeState::kIdle) continue;
          node.state = NodeState::kLeaving;
          node.idle_since = now;  // since when it should be leaving
          ROOST_CHECK(save_node(tx, node));
          leaving.push_back(id);
        }
        if (view->compute.deleting && view->nodes.empty()) {
          ROOST_CHECK(remove_compute(tx, view->compute));
        }
      }
      return {};
    }), "starting runs");
  }
  for (const auto& [run, node] : started) {
    app_.node_changed(node);
    app_.run_changed(run);
  }
  for (const auto& run : changed_runs) app_.run_changed(run);
  for (const auto& node : leaving) app_.node_changed(node);
  for (const auto& [compute, count] : to_add) add_nodes(*compute, count);
}

void ControlLoop::add_nodes(const Compute& compute, std::int64_t count) {
  const std::string key = compute.workspace + "/" + compute.name;
  const Micros now = app_.clock.now();
  if (const auto it = not_before_.find(key); it != not_before_.end() && now < it->second) return;
  for (std::int64_t i = 0; i < count; ++i) {
    Node node;
    node.workspace = compute.workspace;
    node.compute = compute.name;
    node.state = NodeState::kPreparing;
    node.started = now;
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
    } else if (is_local && node.state == NodeState::kLeaving && now - node.idle_since.value_or(now) > kLeaveGrace) {
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
        "SELECT seq FROM run INDEXED BY run_active WHERE status NOT IN ('Completed', 'Failed',"
        " 'Canceled') AND deadline <= ?",
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
