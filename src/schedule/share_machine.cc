#include "schedule/share_machine.h"

#include <algorithm>
#include <tuple>

namespace roost {
namespace {

struct Claim {
  std::size_t compute = 0;
  bool low_priority = false;
  std::int64_t priority = 0;
  std::int64_t run = 0;

  bool comes_before(const Claim& other) const {
    return std::tuple(low_priority, -priority, run) < std::tuple(other.low_priority, -other.priority, other.run);
  }
};

Claim claim_of(const std::vector<ComputePlan>& computes, std::size_t compute, std::int64_t priority,
               std::int64_t run) {
  return {compute, computes[compute].view.compute.is_low_priority(), priority, run};
}

std::int64_t alive(const ComputeView& view) {
  return std::count_if(view.nodes.begin(), view.nodes.end(),
                       [](const Node& node) { return node.state != NodeState::kUnusable; });
}

std::int64_t going(const ComputeView& view) {
  return std::count_if(view.nodes.begin(), view.nodes.end(), [](const Node& node) {
    return node.state == NodeState::kLeaving || node.state == NodeState::kPreempted;
  });
}

// Takes nodes from the computes behind a run that lacks them.
class Taking {
 public:
  Taking(std::vector<ComputePlan>& computes, const Claim& first, std::int64_t lacking)
      : computes_(computes), first_(first), lacking_(lacking) {
    for (const auto& [view, plan] : computes) {
      const auto ending = static_cast<std::int64_t>(plan.nodes_to_end.size());
      lacking_ -= going(view) + ending;
      may_take_.push_back(alive(view) - going(view) - ending - (view.compute.deleting ? 0 : view.compute.min_nodes));
    }
    for (std::size_t i = 0; i < computes.size(); ++i) order_.push_back(i);
    std::stable_partition(order_.begin(), order_.end(),
                          [&](std::size_t i) { return computes_[i].view.compute.is_low_priority(); });
  }

  void take_idle() {
    for (const std::size_t i : order_) {
      Plan& plan = computes_[i].plan;
      if (i == first_.compute) continue;
      if (plan.reserved && claim_of(computes_, i, plan.reserved->priority, plan.reserved->run).comes_before(first_)) {
        continue;
      }
      std::int64_t kept = 0;
      for (const auto& run : plan.coming) kept += run.idle_nodes;
      while (static_cast<std::int64_t>(plan.idle_left.size()) > kept && may_take(i)) {
        plan.nodes_to_end.push_back(plan.idle_left.front());
        plan.idle_left.erase(plan.idle_left.begin());
        took(i);
      }
    }
  }

  void hold_back_starts() {
    for (const std::size_t i : order_) {
      Plan& plan = computes_[i].plan;
      while (i != first_.compute && !plan.starts.empty() && may_take(i)) {
        const Plan::Start& last = plan.starts.back();
        if (!first_.comes_before(claim_of(computes_, i, last.priority, last.run))) break;
        for (const auto& node : last.nodes) {
          if (!may_take(i)) break;
          plan.nodes_to_end.push_back(node);
          took(i);
        }
        plan.starts.pop_back();
      }
    }
  }

  std::vector<Preemption> preempt() {
    struct Victim {
      std::size_t compute;
      const RunningRun* run;
    };
    std::vector<Victim> victims;
    for (const std::size_t i : order_) {
      if (!computes_[i].view.compute.is_low_priority()) continue;
      for (const auto& run : computes_[i].view.running) {
        if (!run.preempted) victims.push_back({i, &run});
      }
    }
    // One run that is enough, the smallest such; else the largest, which leaves the fewest others to find.
    std::vector<Preemption> all;
    while (lacking_ > 0) {
      const auto rank = [&](const Victim& victim) {
        const std::int64_t nodes = std::min(victim.run->nodes, may_take_[victim.compute]);
        const bool enough = nodes >= lacking_;
        return std::tuple(nodes > 0, enough, enough ? -nodes : nodes, victim.run->started, victim.run->seq);
      };
      const auto best = std::max_element(victims.begin(), victims.end(),
                                         [&](const Victim& a, const Victim& b) { return rank(a) < rank(b); });
      if (best == victims.end() || !may_take(best->compute)) break;
      Preemption preemption{best->run->seq, 0, first_.run};
      while (preemption.nodes < best->run->nodes && may_take(best->compute)) {
        ++preemption.nodes;
        took(best->compute);
      }
      all.push_back(preemption);
      victims.erase(best);
    }
    return all;
  }

 private:
  bool may_take(std::size_t compute) const { return lacking_ > 0 && may_take_[compute] > 0; }
  void took(std::size_t compute) {
    --lacking_;
    --may_take_[compute];
  }

  std::vector<ComputePlan>& computes_;
  Claim first_;
  std::int64_t lacking_;
  std::vector<std::int64_t> may_take_;
  std::vector<std::size_t> order_;
};

}  // namespace

void divide_machine(std::int64_t most_nodes, std::vector<ComputePlan>& computes) {
  std::int64_t kept = 0;
  for (const auto& [view, plan] : computes) kept += view.compute.deleting ? 0 : view.compute.min_nodes;
  for (auto& [view, plan] : computes) {
    const std::int64_t own = view.compute.deleting ? 0 : view.compute.min_nodes;
    view.most_nodes = std::max<std::int64_t>(0, most_nodes - (kept - own));
  }
}

std::vector<Preemption> share_machine(std::int64_t most_nodes, std::vector<ComputePlan>& computes) {
  std::int64_t room = most_nodes;
  std::vector<Claim> claims;
  std::vector<std::int64_t> kept_warm;  // nodes to add that no run waits for
  for (std::size_t i = 0; i < computes.size(); ++i) {
    auto& [view, plan] = computes[i];
    room -= alive(view);
    std::int64_t for_nobody = std::exchange(plan.nodes_to_add, 0);
    for (const auto& run : plan.coming) {
      for_nobody -= run.new_nodes;
      claims.push_back(claim_of(computes, i, run.priority, run.run));
    }
    kept_warm.push_back(for_nobody);
  }
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) { return a.comes_before(b); });

  std::optional<Claim> first_without;
  std::int64_t lacking = 0;
  for (const auto& claim : claims) {
    Plan& plan = computes[claim.compute].plan;
    const auto run = std::find_if(plan.coming.begin(), plan.coming.end(),
                                  [&](const Plan::Coming& coming) { return coming.run == claim.run; });
    const std::int64_t granted = first_without ? 0 : std::clamp<std::int64_t>(room, 0, run->new_nodes);
    room -= granted;
    plan.nodes_to_add += granted;
    if (granted == run->new_nodes) continue;
    if (!first_without) {
      first_without = claim;
      lacking = run->new_nodes - granted;
    }
    plan.coming.erase(run);
  }
  for (std::size_t i = 0; i < computes.size() && !first_without; ++i) {
    const std::int64_t granted = std::clamp<std::int64_t>(room, 0, kept_warm[i]);
    computes[i].plan.nodes_to_add += granted;
    room -= granted;
  }
  if (!first_without) return {};
  Taking taking(computes, *first_without, lacking);
  taking.take_idle();
  taking.hold_back_starts();
  if (first_without->low_priority) return {};
  return taking.preempt();
}

}  // namespace roost
