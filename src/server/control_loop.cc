#include "server/control_loop.h"

#include <time.h>

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
#include "base/report_error.h"

namespace roost {
namespace {

constexpr auto kTick = std::chrono::milliseconds(250);
constexpr auto kLongCycle = std::chrono::milliseconds(10);

// Planning is what must not take too much: waiting for the disk costs nobody anything.
std::chrono::nanoseconds cpu_time_of_this_thread() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
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

void ControlLoop::run(std::stop_token stop) {
  Wake::Waiter waiter(app_.wake);
  Micros next_watch = app_.clock.steady();
  while (!stop.stop_requested()) {
    waiter.wait_for(stop, kTick);
    if (stop.stop_requested()) return;
    note_time();
    if (app_.clock.steady() >= next_watch) {
      take_turn("watching nodes", [this] { watch_nodes(); });
      take_turn("watching time limits", [this] { watch_deadlines(); });
      take_turn("watching runs that stop", [this] { watch_stopping(); });
      take_turn("watching what nodes have", [this] { watch_parts(); });
      take_turn("watching canceled runs", [this] { watch_canceled(); });
      ages_.sweep();
      next_watch = app_.clock.steady() + std::chrono::microseconds(kTick).count();
    }
    const auto began = cpu_time_of_this_thread();
    take_turn("scheduling", [this] { schedule(); });
    const auto took = cpu_time_of_this_thread() - began;
    if (took < kLongCycle) continue;
    // However long a queue is and however often it changes, planning takes a part of one core only.
    waiter.pause(stop, std::min<std::chrono::nanoseconds>(3 * took, 2 * kTick));
  }
}

void ControlLoop::note_time() {
  if (!app_.serving.tick()) return;
  log_warning("the server stood still for a while; every node has its full time to be heard again");
  app_.nodes.forgive_silence();
}

std::vector<ComputePlan> ControlLoop::look() {
  std::vector<ComputePlan> found;
  report_error(app_.db->read([&](Tx& tx) -> Status {
    found.clear();
    const Micros now = app_.clock.now();
    ROOST_CHECK(queues_.refresh(tx, now));
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
      for (auto& node : view.nodes) {
        if (node.idle_since) node.idle_since = now - ages_.age("idle/" + node.id, *node.idle_since);
      }
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
  for (const auto& node : changed.nodes) app_.changes.node_changed(node);
  for (const auto& run : changed.runs) app_.changes.run_changed(run);
  for (const auto& [view, plan] : computes) {
    if (plan.nodes_to_add > 0) add_nodes(view.compute, plan.nodes_to_add);
  }
}

void ControlLoop::add_nodes(const Compute& compute, std::int64_t count) {
  const std::string key = compute.workspace + "/" + compute.name;
  const Micros now = app_.clock.now();
  if (const auto it = not_before_.find(key); it != not_before_.end() && app_.serving.now() < it->second) return;
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
    app_.nodes.heard(node.id);
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
      // Another host may do; else not at once.
      if (!app_.provider->note_failed_start(node)) not_before_[key] = app_.serving.now() + kStartPause;
      app_.wake.notify();
      return;
    }
    log_info("node {}: started, process {}", node.id, node.pid);
  }
}

}  // namespace roost
