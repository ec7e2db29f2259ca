#include "schedule/share_machine.h"

#include <gtest/gtest.h>

#include "schedule/test_compute.h"

namespace roost {
namespace {

// A machine with computes on it; what it decides for them all.
struct Machine {
  std::vector<ComputePlan> computes;
  std::vector<Preemption> preemptions;

  Machine(std::int64_t most, std::vector<const TestCompute*> parts) {
    for (const auto* part : parts) computes.push_back({part->view, {}});
    divide_machine(most, computes);
    for (auto& [view, plan] : computes) plan = plan_compute(view, 100);
    preemptions = share_machine(most, computes);
  }
  const Plan& plan(std::size_t i) const { return computes[i].plan; }
};

void make_low(TestCompute& compute) { compute.view.compute.vm_priority = "lowpriority"; }

TEST(ShareMachine, NodesGoToTheFirstRunsWhereverTheyWait) {
  TestCompute one;
  TestCompute other;
  one.wait(1).wait(4);
  other.wait(2).wait(3);
  const Machine machine(3, {&one, &other});
  EXPECT_EQ(machine.plan(0).nodes_to_add, 1);
  EXPECT_EQ(machine.plan(1).nodes_to_add, 2);
  EXPECT_EQ(coming(machine.plan(0)), std::vector<std::int64_t>{1});
}

TEST(ShareMachine, IdleNodesElsewhereMakeRoom) {
  TestCompute one;
  TestCompute other;
  one.wait(1, 3);
  other.idle(2);
  const Machine machine(4, {&one, &other});
  EXPECT_EQ(machine.plan(0).nodes_to_add, 2);
  EXPECT_EQ(machine.plan(1).nodes_to_end.size(), 1U);
  EXPECT_TRUE(coming(machine.plan(0)).empty()) << "it has to wait for more than nodes that come up";
}

TEST(ShareMachine, ABigRunIsNotStarvedByASmallOneElsewhere) {
  TestCompute one;
  TestCompute other;
  one.wait(1, 4);
  other.run(7, 3).idle(1).wait(2);
  const Machine machine(4, {&one, &other});
  EXPECT_TRUE(machine.plan(1).starts.empty());
  EXPECT_EQ(machine.plan(1).nodes_to_end.size(), 1U);
}

TEST(ShareMachine, WhatOthersAlwaysKeepIsNotWaitedFor) {
  TestCompute one;
  TestCompute other(2, 4);
  one.wait(1, 3).wait(3);
  other.idle(2).wait(2);
  const Machine machine(4, {&one, &other});
  EXPECT_EQ(started(machine.plan(1)), std::vector<std::int64_t>{2});
  EXPECT_EQ(coming(machine.plan(0)), std::vector<std::int64_t>{3}) << "run 1 can never start, and holds up nobody";
}

TEST(ShareMachine, DedicatedWorkPreemptsLowPriorityWork) {
  TestCompute dedicated;
  TestCompute low;
  make_low(low);
  dedicated.wait(10, 2);
  low.run(1, 2, {}, "bob", 1).run(2, 1, {}, "bob", 2).run(3, 1, {}, "bob", 3).wait(4);
  const Machine machine(4, {&dedicated, &low});
  ASSERT_EQ(machine.preemptions.size(), 1U) << "one run that is large enough, rather than two younger ones";
  EXPECT_EQ(machine.preemptions[0].run, 1);
  EXPECT_EQ(machine.preemptions[0].nodes, 2);
  EXPECT_EQ(machine.preemptions[0].for_run, 10);
  EXPECT_EQ(machine.plan(1).nodes_to_add, 0);
}

TEST(ShareMachine, TheYoungestOfEqualsIsPreempted) {
  TestCompute dedicated;
  TestCompute low;
  make_low(low);
  dedicated.wait(10);
  low.run(1, 1, {}, "bob", 1).run(2, 1, {}, "bob", 9).run(3, 1, {}, "bob", 5);
  const Machine machine(3, {&dedicated, &low});
  ASSERT_EQ(machine.preemptions.size(), 1U);
  EXPECT_EQ(machine.preemptions[0].run, 2);
}

TEST(ShareMachine, NodesThatAreGoingAlreadyAreNotTakenTwice) {
  TestCompute dedicated;
  TestCompute low;
  make_low(low);
  dedicated.wait(10);
  low.run(1, 1, {}, "bob", 1).run(2, 1, {}, "bob", 9);
  low.view.nodes.back().state = NodeState::kPreempted;
  low.view.running.back().preempted = true;
  EXPECT_TRUE(Machine(2, {&dedicated, &low}).preemptions.empty());
}

TEST(ShareMachine, LowPriorityWorkPreemptsNobody) {
  TestCompute low;
  TestCompute other;
  make_low(low);
  make_low(other);
  low.wait(1);
  other.run(7, 2);
  EXPECT_TRUE(Machine(2, {&low, &other}).preemptions.empty());
  TestCompute dedicated;
  dedicated.run(8, 2);
  EXPECT_TRUE(Machine(2, {&low, &dedicated}).preemptions.empty());
}

TEST(ShareMachine, IdleNodesGoBeforeAnybodyIsPreempted) {
  TestCompute dedicated;
  TestCompute low;
  make_low(low);
  dedicated.wait(10);
  low.run(1, 1).idle(1);
  const Machine machine(2, {&dedicated, &low});
  EXPECT_TRUE(machine.preemptions.empty());
  EXPECT_EQ(machine.plan(1).nodes_to_end.size(), 1U);
}

}  // namespace
}  // namespace roost
