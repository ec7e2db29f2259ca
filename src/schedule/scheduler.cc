#include "schedule/scheduler.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/report_error.h"
#include "domain/vm_sizes.h"
#include "records/attempt_records.h"
#include "records/compute_records.h"
#include "records/lease_records.h"
#include "records/queue_records.h"
#include "records/run_records.h"
#include "schedule/plan.h"

namespace roost {
namespace {

// Runs that are shown as Provisioning, and for which no node comes up: another took what was coming, or the machine has
// no room any more.
std::vector<std::int64_t> overtaken(const ComputePlan& decided) {
  const auto& [view, plan] = decided;
  std::vector<std::int64_t> runs;
  if (!view.waiting) return runs;
  for (const std::int64_t run : view.waiting->provisioning()) {
    const auto is_it = [&](const auto& one) { return one.run == run; };
    const bool goes_on = std::any_of(plan.coming.begin(), plan.coming.end(), is_it) ||
                         std::any_of(plan.starts.begin(), plan.starts.end(), is_it);
    if (!goes_on) runs.push_back(run);
  }
  return runs;
}

}  // namespace

std::vector<ComputePlan> Scheduler::look() {
  std::vector<ComputePlan> found;
  const Status read = parts_.db.read([&](Tx& tx) -> Status {
    found.clear();
    const Micros now = parts_.clock.now();
    ROOST_CHECK(queues_.refresh(tx, now));
    ROOST_TRY(held_, held_amounts(tx));
    ROOST_TRY(const auto computes, list_computes(tx));
    for (const auto& compute : computes) {
      if (!parts_.decides_here(compute)) continue;
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
  });
  report_error(read, "reading the queue");
  if (read) ages_.sweep();
  return found;
}

void Scheduler::plan_in_turn(std::vector<ComputePlan>& computes, Micros now) {
  MachineRoom room{parts_.inventory.amounts(), parts_.inventory.amounts() - held_, claim_, {}};
  const auto late = [&](const RoomClaim& claim) {
    Amounts sum;
    for (const auto& [view, plan] : computes) {
      for (const auto& run : view.running) {
        if (run.started >= claim.since) sum = sum + run.held;
      }
    }
    return sum;
  };
  if (room.first) room.late = late(*room.first);
  const std::int64_t claimant = claim_ ? claim_->run : 0;
  // The one that waits longest is asked first; whether it still waits shows then.
  std::vector<ComputePlan*> order;
  for (auto& compute : computes) order.push_back(&compute);
  std::stable_partition(order.begin(), order.end(), [&](const ComputePlan* compute) {
    return compute->view.waiting && compute->view.waiting->find(claimant);
  });
  if (claimant != 0 && (order.empty() || !order.front()->view.waiting || !order.front()->view.waiting->find(claimant))) {
    room.first.reset();
  }
  for (ComputePlan* compute : order) {
    auto& [view, plan] = *compute;
    view.room = room;
    if (const auto gpus = promised_gpus(view.compute.vm_size, static_cast<int>(room.total.gpus))) view.size_gpus = *gpus;
    plan = memory_.plan(view, now);
    queues_.promised(view.compute.workspace, view.compute.name) = plan.promised;
    room.free = room.free - plan.taken;
    room.late = room.late + plan.taken;
    if (room.first && view.waiting && view.waiting->find(room.first->run)) room.first.reset();  // it starts, or asks again
    if (plan.claim && (!room.first || plan.claim->comes_before(*room.first))) {
      room.first = plan.claim;
      room.late = late(*room.first);
    }
  }
  claim_ = room.first;
}

std::vector<Preemption> Scheduler::plan(std::vector<ComputePlan>& computes, Micros now) {
  if (parts_.local_nodes > 0) divide_machine(parts_.local_nodes, computes);
  plan_in_turn(computes, now);
  if (parts_.local_nodes == 0) return {};
  return share_machine(parts_.local_nodes, computes);
}

Result<bool> Scheduler::start(Tx& tx, const Plan::Start& start, Micros now, Changed& changed) {
  ROOST_TRY(Run run, run_by_row(tx, start.run));
  std::vector<Node> nodes;
  for (const auto& id : start.nodes) {
    ROOST_TRY(Node node, find_node(tx, id));
    if (node.state == NodeState::kIdle) nodes.push_back(std::move(node));
  }
  const bool waits = run.status == RunStatus::kQueued || run.status == RunStatus::kProvisioning;
  if (!waits || nodes.size() != start.nodes.size()) return false;
  std::optional<std::vector<Lease>> leases;
  const bool has_lease = !parts_.inventory.gpus.empty() || !start.takes.is_nothing();
  if (has_lease) {
    ROOST_TRY(const auto held, held_leases(tx));
    std::vector<Lease> taken;
    for (const auto& other : held) taken.push_back(other.lease);
    leases = choose_leases(parts_.inventory, taken, start.takes, std::ssize(nodes));
    if (!leases) return false;  // somebody was faster; it keeps its turn
  }
  ROOST_CHECK(parts_.placement.start(tx, run, nodes, now));
  for (std::size_t i = 0; leases && i < leases->size(); ++i) {
    ROOST_CHECK(insert_lease(tx, {run.seq, run.attempt, static_cast<int>(i), nodes[i].id, (*leases)[i], {}, {}}));
  }
  changed.nodes.insert(changed.nodes.end(), start.nodes.begin(), start.nodes.end());
  changed.runs.push_back(run.id);
  changed.started.push_back(run.seq);
  return true;
}

Status Scheduler::carry_out(Tx& tx, const ComputePlan& decided, Micros now, Changed& changed) {
  const auto& [view, plan] = decided;
  for (const auto& start : plan.starts) ROOST_CHECK(this->start(tx, start, now, changed));
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

Status Scheduler::put_back(Tx& tx, std::int64_t row, Micros now, Changed& changed) {
  ROOST_TRY(Run run, run_by_row(tx, row));
  if (run.status != RunStatus::kProvisioning) return {};
  changed.runs.push_back(run.id);
  return move_run(tx, run, RunStatus::kQueued, fmt::format("no node of {} is coming up for it any more", run.compute), now);
}

Status Scheduler::take_nodes(Tx& tx, const Preemption& preemption, Micros now, Changed& changed) {
  ROOST_TRY(const Run run, run_by_row(tx, preemption.run));
  ROOST_TRY(const Run needs, run_by_row(tx, preemption.for_run));
  ROOST_TRY(const auto ids, nodes_of_run(tx, run.seq, run.attempt));
  Preempted preempted;
  for (auto id = ids.rbegin(); id != ids.rend() && std::ssize(preempted.nodes) < preemption.nodes; ++id) {
    ROOST_TRY(Node node, find_node(tx, *id));
    const std::string why = fmt::format("{} on {} needs the place of node {}", needs.id, needs.compute, *id);
    ROOST_CHECK(parts_.placement.preempt(tx, node, why, now, preempted));
  }
  changed.nodes.insert(changed.nodes.end(), preempted.told.begin(), preempted.told.end());
  changed.nodes.insert(changed.nodes.end(), preempted.nodes.begin(), preempted.nodes.end());
  changed.runs.insert(changed.runs.end(), preempted.runs.begin(), preempted.runs.end());
  return {};
}

std::vector<Growth> Scheduler::cycle() {
  auto computes = look();
  const Micros now = parts_.clock.now();
  const auto preemptions = plan(computes, now);
  const bool anything = !preemptions.empty() || std::any_of(computes.begin(), computes.end(), [](const ComputePlan& c) {
    const bool untold = std::any_of(c.plan.coming.begin(), c.plan.coming.end(),
                                    [](const Plan::Coming& coming) { return !coming.told; });
    return !c.plan.starts.empty() || !c.plan.nodes_to_end.empty() || untold ||
           !overtaken(c).empty() || (c.view.compute.deleting && c.view.nodes.empty()) || (c.view.compute.draining && !c.view.compute.deleting);
  });
  Changed changed;
  if (anything) {
    const Status written = parts_.db.write([&](Tx& tx) -> Status {
      changed = {};
      for (const auto& decided : computes) {
        ROOST_CHECK(carry_out(tx, decided, now, changed));
        for (const auto run : overtaken(decided)) ROOST_CHECK(put_back(tx, run, now, changed));
      }
      for (const auto& preemption : preemptions) ROOST_CHECK(take_nodes(tx, preemption, now, changed));
      return {};
    });
    report_error(written, "starting runs");
    if (!written) return {};
  }
  for (const auto run : changed.started) queues_.started(run);
  for (const auto& node : changed.nodes) parts_.changes.node_changed(node);
  for (const auto& run : changed.runs) parts_.changes.run_changed(run);
  std::vector<Growth> growth;
  for (const auto& [view, plan] : computes) {
    if (plan.nodes_to_add > 0) growth.push_back({view.compute, plan.nodes_to_add});
  }
  return growth;
}

}  // namespace roost
