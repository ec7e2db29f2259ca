#include "schedule/plan.h"

#include <algorithm>

namespace roost {
namespace {

std::int64_t count(const ComputeView& view, NodeState state) {
  return std::count_if(view.nodes.begin(), view.nodes.end(),
                       [&](const Node& node) { return node.state == state; });
}

}  // namespace

std::int64_t target_nodes(const ComputeView& view) {
  const std::int64_t busy = count(view, NodeState::kRunning);
  if (view.compute.deleting) return busy;
  return std::clamp(busy + view.waiting_count, view.compute.min_nodes, view.compute.max_nodes);
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
  while (!view.compute.deleting && free_node != idle.end() && next_run != view.waiting.end()) {
    plan.starts.push_back({next_run->seq, (*free_node)->id});
    ++free_node;
    ++next_run;
  }

  const auto started = static_cast<std::int64_t>(plan.starts.size());
  const auto idle_left = static_cast<std::int64_t>(idle.end() - free_node);
  const std::int64_t alive = busy + started + idle_left + preparing;
  if (!view.compute.deleting) {
    const std::int64_t wanted = target_nodes(view);
    plan.nodes_to_add = std::max<std::int64_t>(0, wanted - alive);
    const std::int64_t coming = preparing + plan.nodes_to_add;
    for (std::int64_t i = 0; i < coming && next_run != view.waiting.end(); ++i, ++next_run) {
      if (next_run->status == RunStatus::kQueued) plan.provisioning.push_back(next_run->seq);
    }
  }

  const std::int64_t least = view.compute.deleting ? 0 : view.compute.min_nodes;
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
