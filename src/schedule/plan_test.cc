#include "schedule/plan.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

Node node(std::string id, NodeState state, Micros idle_since = 0) {
  Node n;
  n.id = std::move(id);
  n.state = state;
  if (state == NodeState::kIdle) n.idle_since = idle_since;
  return n;
}

Run waiting(std::int64_t seq, int nodes = 1) {
  Run run;
  run.seq = seq;
  run.spec = {{"node_count", nodes}};
  run.status = RunStatus::kQueued;
  return run;
}

ComputeView view(std::int64_t min, std::int64_t max, std::vector<Node> nodes, int queue) {
  ComputeView v;
  v.compute.min_nodes = min;
  v.compute.max_nodes = max;
  v.compute.idle_seconds = 10;
  v.nodes = std::move(nodes);
  for (int i = 1; i <= queue; ++i) v.waiting.push_back(waiting(i));
  return v;
}

TEST(Plan, StartsTheFirstRunsOnTheWarmestNodes) {
  const auto plan = plan_compute(
      view(0, 4, {node("cold", NodeState::kIdle, 1), node("warm", NodeState::kIdle, 5)}, 1), 6);
  ASSERT_EQ(plan.starts.size(), 1U);
  EXPECT_EQ(plan.starts[0].run, 1);
  EXPECT_EQ(plan.starts[0].nodes, std::vector<std::string>{"warm"});
  EXPECT_EQ(plan.nodes_to_add, 0);
}

TEST(Plan, GrowsOnlyByWhatIsMissing) {
  EXPECT_EQ(plan_compute(view(0, 4, {}, 10), 0).nodes_to_add, 4);
  EXPECT_EQ(plan_compute(view(0, 4, {}, 2), 0).nodes_to_add, 2);
  EXPECT_EQ(plan_compute(view(0, 4, {node("a", NodeState::kPreparing)}, 1), 0).nodes_to_add, 0);
  EXPECT_EQ(plan_compute(view(0, 4, {node("a", NodeState::kRunning)}, 1), 0).nodes_to_add, 1);
  EXPECT_EQ(plan_compute(view(0, 4, {node("a", NodeState::kUnusable)}, 1), 0).nodes_to_add, 1);
  EXPECT_EQ(plan_compute(view(2, 4, {}, 0), 0).nodes_to_add, 2);
  const auto plan = plan_compute(view(0, 1, {}, 3), 0);
  EXPECT_EQ(plan.provisioning, std::vector<std::int64_t>{1});
}

TEST(Plan, ShrinksAfterTheIdleTimeDownToTheMinimum) {
  const std::vector<Node> nodes = {node("a", NodeState::kIdle, 0), node("b", NodeState::kIdle, 0),
                                   node("c", NodeState::kIdle, 5 * kSecond)};
  EXPECT_TRUE(plan_compute(view(0, 4, nodes, 0), 9 * kSecond).nodes_to_end.empty());
  EXPECT_EQ(plan_compute(view(0, 4, nodes, 0), 11 * kSecond).nodes_to_end.size(), 2U);
  EXPECT_EQ(plan_compute(view(2, 4, nodes, 0), 60 * kSecond).nodes_to_end.size(), 1U);
  EXPECT_EQ(plan_compute(view(0, 1, nodes, 0), 1 * kSecond).nodes_to_end.size(), 2U)
      << "a lowered max_nodes ends idle nodes at once";
}

TEST(Plan, ADeletedComputeStartsNothingAndEndsItsIdleNodes) {
  auto v = view(1, 4, {node("a", NodeState::kIdle), node("b", NodeState::kRunning)}, 3);
  v.compute.deleting = true;
  const auto plan = plan_compute(v, 1);
  EXPECT_TRUE(plan.starts.empty());
  EXPECT_EQ(plan.nodes_to_add, 0);
  EXPECT_EQ(plan.nodes_to_end, std::vector<std::string>{"a"});
}

TEST(Plan, AGangStartsOnAllItsNodesOrOnNone) {
  auto v = view(0, 4, {node("a", NodeState::kIdle, 1), node("b", NodeState::kIdle, 2)}, 0);
  v.waiting = {waiting(1, 3), waiting(2)};
  auto plan = plan_compute(v, 6);
  EXPECT_TRUE(plan.starts.empty()) << "nobody behind a gang takes the nodes it waits for";
  EXPECT_EQ(plan.nodes_to_add, 2);
  EXPECT_EQ(plan.provisioning, (std::vector<std::int64_t>{1, 2}));
  v.nodes.push_back(node("c", NodeState::kIdle, 3));
  plan = plan_compute(v, 6);
  ASSERT_EQ(plan.starts.size(), 1U);
  EXPECT_EQ(plan.starts[0].nodes, (std::vector<std::string>{"c", "b", "a"}));
  EXPECT_EQ(plan.nodes_to_add, 1);
}

TEST(Plan, NodesThatAGangWaitsForDoNotEnd) {
  auto v = view(0, 2, {node("a", NodeState::kIdle, 0), node("b", NodeState::kRunning)}, 0);
  v.waiting = {waiting(1, 2)};
  EXPECT_TRUE(plan_compute(v, 100 * kSecond).nodes_to_end.empty());
}

TEST(Plan, ARunThatCanNeverStartHoldsUpNobody) {
  auto v = view(0, 2, {node("a", NodeState::kIdle, 0)}, 0);
  v.waiting = {waiting(1, 5), waiting(2)};
  const auto plan = plan_compute(v, 1);
  ASSERT_EQ(plan.starts.size(), 1U);
  EXPECT_EQ(plan.starts[0].run, 2);
  EXPECT_EQ(plan.nodes_to_add, 0);
}

}  // namespace
}  // namespace roost
