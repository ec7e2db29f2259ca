#pragma once

#include <string>
#include <utility>
#include <vector>

#include "schedule/plan.h"

namespace roost {

// A compute and its queue for tests of the planning, made without a database.
struct TestCompute {
  ComputeView view;
  RunQueue queue;
  PastUse past;

  explicit TestCompute(std::int64_t min = 0, std::int64_t max = 4) {
    view.compute.name = "gpu-cluster";
    view.compute.min_nodes = min;
    view.compute.max_nodes = max;
    view.compute.idle_seconds = 10;
    view.waiting = &queue;
    view.past = &past;
  }
  TestCompute(const TestCompute&) = delete;

  TestCompute& node(std::string id, NodeState state, Micros since = 0) {
    Node made;
    made.id = std::move(id);
    made.enter(state, since);
    view.nodes.push_back(std::move(made));
    return *this;
  }
  TestCompute& idle(int count) {
    for (int i = 0; i < count; ++i) node("idle" + std::to_string(i), NodeState::kIdle);
    return *this;
  }
  TestCompute& wait(std::int64_t seq, std::int64_t nodes = 1, std::int64_t priority = 0, Micros limit = 0,
                    std::string user = "ann") {
    queue.put({seq, priority, nodes, limit, seq, std::move(user), false});
    return *this;
  }
  // A run with as many nodes, which are there too.
  TestCompute& run(std::int64_t seq, std::int64_t nodes, std::optional<Micros> ends = {}, std::string user = "ann",
                   Micros started = 0) {
    for (std::int64_t i = 0; i < nodes; ++i) {
      node("of" + std::to_string(seq) + "-" + std::to_string(i), NodeState::kRunning, started);
    }
    view.running.push_back({seq, std::move(user), nodes, started, ends, false});
    return *this;
  }
  Plan plan(Micros now = 0) const { return plan_compute(view, now); }
};

inline std::vector<std::int64_t> started(const Plan& plan) {
  std::vector<std::int64_t> runs;
  for (const auto& start : plan.starts) runs.push_back(start.run);
  return runs;
}

inline std::vector<std::int64_t> coming(const Plan& plan) {
  std::vector<std::int64_t> runs;
  for (const auto& run : plan.coming) runs.push_back(run.run);
  return runs;
}

}  // namespace roost
