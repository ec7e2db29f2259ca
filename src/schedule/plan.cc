#include "schedule/plan.h"

#include <algorithm>

#include "schedule/fair_order.h"
#include "schedule/reservation.h"

namespace roost {
namespace {

// Runs that wait for GPUs may be many; behind so many of them nobody is looked for who does not.
constexpr std::int64_t kMostWithoutRoom = 2000;

std::int64_t count(const std::vector<Node>& nodes, NodeState state) {
  return std::count_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.state == state; });
}

class Planner {
 public:
  Planner(const ComputeView& view, Micros now)
      : view_(view), now_(now), room_(view.room, view.compute.is_low_priority(), view.size_gpus, now) {
    for (const auto& node : view.nodes) {
      if (node.state == NodeState::kIdle) idle_.push_back(&node);
    }
    // The node that was used last is the warmest; the others get a chance to end.
    std::stable_sort(idle_.begin(), idle_.end(), [](const Node* a, const Node* b) {
      return a->idle_since.value_or(0) > b->idle_since.value_or(0);
    });
    preparing_ = count(view.nodes, NodeState::kPreparing);
    busy_ = count(view.nodes, NodeState::kRunning);
    free_ = std::max<std::int64_t>(0, view.capacity() - busy_);
    alive_ = busy_ + preparing_ + static_cast<std::int64_t>(idle_.size());
  }

  Plan make(const Plan* same) {
    if (!view_.compute.deleting) {
      if (same) {
        plan_.reserved = same->reserved;
        plan_.promised = same->promised;
        plan_.claim = same->claim;
      } else {
        give_nodes();
      }
      const std::int64_t kept = std::min(view_.compute.min_nodes, view_.capacity());
      plan_.nodes_to_add = std::max(plan_.nodes_to_add, kept - alive_);
    }
    end_nodes();
    return std::move(plan_);
  }

 private:
  void give_nodes() {
    if (!view_.waiting || view_.waiting->empty()) return;
    static const PastUse kNobody;
    Standings standings;
    for (const auto& run : view_.running) {
      Standing& user = standings[run.user];
      user.nodes += run.nodes;
      user.runs += 1;
      user.last_start = std::max(user.last_start, run.started);
      held_.push_back({run.nodes, run.started, run.ends});
    }
    FairOrder order(*view_.waiting, view_.promised, standings, view_.past ? *view_.past : kNobody,
                    view_.capacity(), now_);
    std::optional<Reservation> reservation;
    std::int64_t without_room = 0;
    while (const QueuedRun* run = free_ > 0 || !reservation ? order.next() : nullptr) {
      ++plan_.steps;
      if (!may_ever_start(*run)) continue;
      if (is_at_limit(order.standing(), *run)) {
        order.block_user();
      } else if (run->nodes <= free_ && (!reservation || reservation->allows(*run))) {
        const auto takes = room_.take(*run);
        if (!takes) {
          // It keeps its turn; the nodes are for others meanwhile.
          if (without_room++ == 0) plan_.promised.push_back(run->seq);
          if (without_room > kMostWithoutRoom) break;
          continue;
        }
        give(*run, reservation.has_value(), *takes);
        order.take();
        if (reservation) reservation->take(*run);
      } else if (!reservation) {
        reservation.emplace(*run, view_.capacity(), free_, held_, now_);
        plan_.reserved = {run->seq, run->priority, reservation->starts()};
        plan_.promised.push_back(run->seq);
      }
    }
    plan_.steps += order.steps();
    plan_.claim = room_.claim();
    plan_.taken = room_.taken();
  }

  // A run that wants more than it can ever get waits until that is raised, and holds up nobody.
  bool may_ever_start(const QueuedRun& run) const {
    const std::int64_t per_user = view_.compute.max_nodes_per_user;
    return run.nodes <= view_.capacity() && (per_user == 0 || run.nodes <= per_user) && !room_.is_too_much(run);
  }

  bool is_at_limit(const Standing& user, const QueuedRun& run) const {
    const Compute& compute = view_.compute;
    return (compute.max_nodes_per_user > 0 && user.nodes + run.nodes > compute.max_nodes_per_user) ||
           (compute.max_runs_per_user > 0 && user.runs + 1 > compute.max_runs_per_user);
  }

  // The run starts on idle nodes, or keeps those that there are until the others have come up.
  void give(const QueuedRun& run, bool backfill, const Amounts& takes) {
    free_ -= run.nodes;
    held_.push_back({run.nodes, now_, latest_end(run, now_)});
    const auto idle = static_cast<std::int64_t>(idle_.size()) - next_idle_ - kept_idle_;
    if (idle >= run.nodes) {
      Plan::Start start{run.seq, run.priority, {}, backfill, takes};
      for (std::int64_t i = 0; i < run.nodes; ++i) {
        start.nodes.push_back(idle_[static_cast<std::size_t>(next_idle_++)]->id);
      }
      plan_.starts.push_back(std::move(start));
      return;
    }
    kept_idle_ += idle;
    const std::int64_t from_preparing = std::min(preparing_ - kept_preparing_, run.nodes - idle);
    kept_preparing_ += from_preparing;
    const std::int64_t new_nodes = run.nodes - idle - from_preparing;
    plan_.coming.push_back({run.seq, run.priority, new_nodes, idle, run.provisioning});
    plan_.nodes_to_add += new_nodes;
    if (!backfill) plan_.promised.push_back(run.seq);
  }

  void end_nodes() {
    const bool deleting = view_.compute.deleting;
    const std::int64_t least = deleting ? 0 : view_.compute.min_nodes;
    const std::int64_t most = deleting ? 0 : view_.capacity();
    std::int64_t left = alive_ + plan_.nodes_to_add;
    for (auto i = static_cast<std::int64_t>(idle_.size()) - 1; i >= next_idle_; --i) {
      const Node& node = *idle_[static_cast<std::size_t>(i)];
      const bool expired = now_ - node.idle_since.value_or(now_) >= view_.compute.idle_seconds * kSecond;
      // Nodes that are idle because a gang still waits for more are not idle for nothing.
      const bool wanted = plan_.reserved || i < next_idle_ + kept_idle_;
      if (left > least && (left > most || deleting || (expired && !wanted))) {
        plan_.nodes_to_end.push_back(node.id);
        --left;
      } else {
        plan_.idle_left.push_back(node.id);
      }
    }
  }

  const ComputeView& view_;
  const Micros now_;
  Plan plan_;
  std::vector<const Node*> idle_;
  std::int64_t next_idle_ = 0;       // how many of them have been given away
  std::int64_t kept_idle_ = 0;       // how many more wait for others to come up
  std::int64_t kept_preparing_ = 0;
  std::int64_t preparing_ = 0;
  std::int64_t busy_ = 0;
  std::int64_t free_ = 0;  // nodes the compute may have that are in no use, also those not started yet
  std::int64_t alive_ = 0;
  std::vector<Held> held_;
  RoomShare room_;
};

}  // namespace

std::int64_t target_nodes(const Compute& compute, const std::vector<Node>& nodes, std::int64_t wanted) {
  const std::int64_t busy = count(nodes, NodeState::kRunning);
  if (compute.deleting) return busy;
  return std::clamp(busy + wanted, compute.min_nodes, compute.max_nodes);
}

Plan plan_compute(const ComputeView& view, Micros now, const Plan* same) { return Planner(view, now).make(same); }

}  // namespace roost
