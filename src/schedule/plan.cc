#include "schedule/plan.h"

#include <algorithm>

namespace roost {
namespace {

std::int64_t count(const ComputeView& view, NodeState state) {
  return std::count_if(view.nodes.begin(), view.nodes.end(),
                       [&](const Node& node) { return node.state == state; });
}

}  // namespace

std::int64_t nodes_needed(const Run& run) {
  return run.spec.is_object() ? std::max<std::int64_t>(1, run.spec.value("node_count", std::int64_t{1})) : 1;
}

namespace {

// A run that wants more nodes than the compute may have waits until that is raised, and holds up nobody.
bool may_ever_start(const ComputeView& view, const Run& run) {
  return nodes_needed(run) <= view.compute.max_nodes;
}

}  // namespace

std::int64_t target_nodes(const ComputeView& view) {
  const std::int64_t busy = count(view, NodeState::kRunning);
  if (view.compute.deleting) return busy;
  std::int64_t wanted = busy;
  for (const auto& run : view.waiting) {
    if (may_ever_start(view, run)) wanted += nodes_needed(run);
  }
  return std::clamp(wanted, view.compute.min_nodes, view.compute.max_nodes);
}

Plan plan_compute(const ComputeView& view, Micros now) {
  Plan plan;
  std::vector<const Node*> idle;
  for (const auto& node : view.nodes) {
    if (node.state == NodeState::kIdle) idle.push_back(&node);
  }
  // The node that was used last is the warmest; the others get a chance to end.
  std::sort(idle.begin(), idle.end(), [](const Node* a, const Node* b) {
    return a->idle_since.value_or(0) > b->idle_since.value_or(0);
  });
  const std::int64_t preparing = count(view, NodeState::kPreparing);
  const std::int64_t busy = count(view, NodeState::kRunning);

  auto free_node = idle.begin();
  auto next_run = view.waiting.begin();
  std::int64_t started = 0;  // nodes
  for (; !view.compute.deleting && next_run != view.waiting.end(); ++next_run) {
    if (!may_ever_start(view, *next_run)) continue;
    const std::int64_t needed = nodes_needed(*next_run);
    if (idle.end() - free_node < needed) break;
    Plan::Start start{next_run->seq, {}};
    for (std::int64_t i = 0; i < needed; ++i) start.nodes.push_back((*free_node++)->id);
    plan.starts.push_back(std::move(start));
    started += needed;
  }

  const auto idle_left = static_cast<std::int64_t>(idle.end() - free_node);
  const std::int64_t alive = busy + started + idle_left + preparing;
  if (!view.compute.deleting) {
    const std::int64_t wanted = target_nodes(view);
    plan.nodes_to_add = std::max<std::int64_t>(0, wanted - alive);
    std::int64_t coming = preparing + plan.nodes_to_add + idle_left;
    if (preparing + plan.nodes_to_add == 0) coming = 0;
    for (; next_run != view.waiting.end(); ++next_run) {
      if (!may_ever_start(view, *next_run)) continue;
      coming -= nodes_needed(*next_run);
      if (coming < 0) break;
      if (next_run->status == RunStatus::kQueued) plan.provisioning.push_back(next_run->seq);
    }
  }

  // Nodes that are idle because a gang still waits for more are not idle for nothing.
  const std::int64_t needed = view.compute.deleting ? 0 : target_nodes(view);
  const std::int64_t least = view.compute.deleting ? 0 : std::max(view.compute.min_nodes, needed);
  const std::int64_t most = view.compute.deleting ? 0 : view.compute.max_nodes;
  std::int64_t left = alive;
  for (auto it = idle.rbegin(); it != std::make_reverse_iterator(free_node) && left > least; ++it) {
    const bool expired =
        now - (*it)->idle_since.value_or(now) >= view.compute.idle_seconds * kSecond;
    if (!expired && left <= most && !view.compute.deleting) continue;
    plan.nodes_to_end.push_back((*it)->id);
    --left;
  }
  return plan;
}

}  // namespace roost
