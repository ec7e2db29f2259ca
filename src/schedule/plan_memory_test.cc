#include "schedule/plan_memory.h"

#include <gtest/gtest.h>

#include "schedule/test_compute.h"

namespace roost {
namespace {

// As the control loop asks: each view has what the plan before promised.
Plan ask(PlanMemory& memory, TestCompute& compute, Micros now) {
  Plan plan = memory.plan(compute.view, now);
  compute.view.promised = plan.promised;
  return plan;
}

TEST(PlanMemory, LooksAtAQueueOnlyOnceWhileNothingChanges) {
  PlanMemory memory;
  TestCompute compute(0, 4);
  compute.idle(2).run(1, 2).wait(10, 4).wait(11, 3);
  EXPECT_GT(ask(memory, compute, 5).steps, 0);
  const Plan again = ask(memory, compute, 100 * kSecond);
  EXPECT_EQ(again.steps, 0);
  ASSERT_TRUE(again.reserved);
  EXPECT_EQ(again.reserved->run, 10);
  EXPECT_TRUE(again.nodes_to_end.empty()) << "the idle nodes are still kept for run 10";
}

TEST(PlanMemory, WhateverChangesIsLookedAt) {
  PlanMemory memory;
  TestCompute compute(0, 4);
  compute.idle(2).run(1, 2).wait(10, 4);
  const auto looks = [&] { return ask(memory, compute, 5).steps > 0; };
  EXPECT_TRUE(looks());
  EXPECT_FALSE(looks());
  compute.wait(11, 4);
  EXPECT_TRUE(looks());
  EXPECT_FALSE(looks());
  compute.view.compute.max_nodes = 5;
  EXPECT_TRUE(looks());
  EXPECT_FALSE(looks());
  compute.view.running.front().ends = 60 * kSecond;
  EXPECT_TRUE(looks());
  EXPECT_FALSE(looks());
  compute.view.running.clear();
  compute.view.nodes[2].enter(NodeState::kIdle, 5);
  compute.view.nodes[3].enter(NodeState::kIdle, 5);
  EXPECT_EQ(started(ask(memory, compute, 6)), std::vector<std::int64_t>{10});
  EXPECT_TRUE(looks()) << "a plan that starts something is not remembered";
  EXPECT_TRUE(looks());
}

}  // namespace
}  // namespace roost
