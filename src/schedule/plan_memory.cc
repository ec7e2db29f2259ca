#include "schedule/plan_memory.h"

#include <algorithm>
#include <tuple>

namespace roost {
namespace {

std::uint64_t version_of(const ComputeView& view) { return view.waiting ? view.waiting->version() : 0; }

auto settings(const ComputeView& view) {
  const Compute& c = view.compute;
  return std::tuple(c.min_nodes, c.max_nodes, c.max_nodes_per_user, c.max_runs_per_user, c.deleting, view.most_nodes);
}

bool is_same(const ComputeView& a, const ComputeView& b) {
  return settings(a) == settings(b) && a.promised == b.promised && a.room == b.room && a.size_gpus == b.size_gpus &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const Node& x, const Node& y) { return x.state == y.state && x.id == y.id; }) &&
         std::equal(a.running.begin(), a.running.end(), b.running.begin(), b.running.end(),
                    [](const RunningRun& x, const RunningRun& y) {
                      return std::tie(x.seq, x.nodes, x.started, x.ends) == std::tie(y.seq, y.nodes, y.started, y.ends);
                    });
}

}  // namespace

Plan PlanMemory::plan(const ComputeView& view, Micros now) {
  const std::pair key(view.compute.workspace, view.compute.name);
  if (!view.waiting) {
    last_.erase(key);
    return plan_compute(view, now);
  }
  const auto known = last_.find(key);
  if (known != last_.end() && known->second.version == version_of(view) && is_same(known->second.view, view)) {
    return plan_compute(view, now, &known->second.plan);
  }
  Plan plan = plan_compute(view, now);
  if (plan.starts.empty() && plan.coming.empty()) {
    ComputeView asked = view;
    asked.promised = plan.promised;  // as the next view will have it
    last_[key] = {std::move(asked), version_of(view), plan};
  } else if (known != last_.end()) {
    last_.erase(known);
  }
  return plan;
}

}  // namespace roost
