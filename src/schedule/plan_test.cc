#include "schedule/plan.h"

#include <gtest/gtest.h>

#include "schedule/test_compute.h"

namespace roost {
namespace {

using Runs = std::vector<std::int64_t>;
constexpr Micros kMinute = 60 * kSecond;

TEST(Plan, StartsTheFirstRunsOnTheWarmestNodes) {
  TestCompute compute;
  compute.node("cold", NodeState::kIdle, 1).node("warm", NodeState::kIdle, 5).wait(1);
  const auto plan = compute.plan(6);
  ASSERT_EQ(started(plan), Runs{1});
  EXPECT_EQ(plan.starts[0].nodes, std::vector<std::string>{"warm"});
  EXPECT_EQ(plan.nodes_to_add, 0);
}

std::int64_t added(std::int64_t min, std::int64_t max, int waiting, std::optional<NodeState> has = {}) {
  TestCompute compute(min, max);
  if (has) compute.node("a", *has);
  for (int i = 1; i <= waiting; ++i) compute.wait(i);
  return compute.plan().nodes_to_add;
}

TEST(Plan, GrowsOnlyByWhatIsMissing) {
  EXPECT_EQ(added(0, 4, 10), 4);
  EXPECT_EQ(added(0, 4, 2), 2);
  EXPECT_EQ(added(0, 4, 1, NodeState::kPreparing), 0);
  EXPECT_EQ(added(0, 4, 1, NodeState::kRunning), 1);
  EXPECT_EQ(added(0, 4, 1, NodeState::kUnusable), 1);
  EXPECT_EQ(added(0, 4, 1, NodeState::kPreempted), 1);
  EXPECT_EQ(added(2, 4, 0), 2);
  TestCompute compute(0, 1);
  EXPECT_EQ(coming(compute.wait(1).wait(2).wait(3).plan()), Runs{1});
}

TEST(Plan, ShrinksAfterTheIdleTimeDownToTheMinimum) {
  const auto ended = [](std::int64_t min, std::int64_t max, Micros now) {
    TestCompute compute(min, max);
    compute.node("a", NodeState::kIdle).node("b", NodeState::kIdle).node("c", NodeState::kIdle, 5 * kSecond);
    return compute.plan(now).nodes_to_end.size();
  };
  EXPECT_EQ(ended(0, 4, 9 * kSecond), 0U);
  EXPECT_EQ(ended(0, 4, 11 * kSecond), 2U);
  EXPECT_EQ(ended(2, 4, kMinute), 1U);
  EXPECT_EQ(ended(0, 1, kSecond), 2U) << "a lowered max_nodes ends idle nodes at once";
}

TEST(Plan, ADeletedComputeStartsNothingAndEndsItsIdleNodes) {
  TestCompute compute(1, 4);
  compute.node("a", NodeState::kIdle).node("b", NodeState::kRunning).wait(1);
  compute.view.compute.deleting = true;
  const auto plan = compute.plan(1);
  EXPECT_TRUE(plan.starts.empty());
  EXPECT_EQ(plan.nodes_to_add, 0);
  EXPECT_EQ(plan.nodes_to_end, std::vector<std::string>{"a"});
}

TEST(Plan, AGangStartsOnAllItsNodesOrOnNone) {
  TestCompute compute;
  compute.node("a", NodeState::kIdle, 1).node("b", NodeState::kIdle, 2).wait(1, 3).wait(2);
  auto plan = compute.plan(6);
  EXPECT_TRUE(plan.starts.empty()) << "nobody behind a gang takes the nodes it waits for";
  EXPECT_EQ(plan.nodes_to_add, 2);
  EXPECT_EQ(coming(plan), (Runs{1, 2}));
  compute.node("c", NodeState::kIdle, 3);
  plan = compute.plan(6);
  ASSERT_EQ(started(plan), Runs{1});
  EXPECT_EQ(plan.starts[0].nodes, (std::vector<std::string>{"c", "b", "a"}));
  EXPECT_EQ(plan.nodes_to_add, 1);
}

TEST(Plan, NodesThatAGangWaitsForDoNotEnd) {
  TestCompute compute(0, 2);
  compute.node("a", NodeState::kIdle).run(7, 1).wait(10, 2);
  const auto plan = compute.plan(100 * kSecond);
  EXPECT_TRUE(plan.nodes_to_end.empty());
  ASSERT_TRUE(plan.reserved);
  EXPECT_EQ(plan.reserved->run, 10);
  EXPECT_FALSE(plan.reserved->starts) << "nobody knows when run 7 ends";
}

TEST(Plan, ARunThatCanNeverStartHoldsUpNobody) {
  TestCompute compute(0, 2);
  const auto plan = compute.idle(1).wait(1, 5).wait(2).plan(1);
  EXPECT_EQ(started(plan), Runs{2});
  EXPECT_EQ(plan.nodes_to_add, 0);
}

TEST(Plan, HigherPriorityGoesFirst) {
  TestCompute compute(0, 2);
  EXPECT_EQ(started(compute.idle(2).wait(1).wait(2, 1, 5).wait(3, 1, 9).plan()), (Runs{3, 2}));
}

TEST(Plan, TheUserWithLeastGoesFirst) {
  TestCompute compute(0, 6);
  compute.idle(3).run(1, 2, {}, "ann").run(2, 1, {}, "bob");
  compute.wait(10, 1, 0, 0, "ann").wait(11, 1, 0, 0, "bob").wait(12, 1, 0, 0, "cat").wait(13, 1, 0, 0, "cat");
  EXPECT_EQ(started(compute.plan(20)), (Runs{12, 11, 13})) << "each start moves its user back";
}

TEST(Plan, ATurnThatHasComeIsKeptAndMovesItsUserBack) {
  TestCompute compute(0, 3);
  compute.view.promised = {10};
  compute.idle(2).run(1, 1, {}, "ann");
  compute.wait(10, 1, 0, 0, "ann").wait(11, 1, 0, 0, "ann").wait(12, 1, 0, 0, "bob");
  EXPECT_EQ(started(compute.plan(20)), (Runs{10, 12}));
  TestCompute other(0, 2);
  other.view.promised = {10};
  other.run(1, 1, {}, "ann").idle(1).wait(10, 2, 0, 0, "ann").wait(12, 2, 0, 0, "bob");
  const auto plan = other.plan(20);
  ASSERT_TRUE(plan.reserved);
  EXPECT_EQ(plan.reserved->run, 10) << "although bob has less";
  EXPECT_EQ(plan.promised, Runs{10});
}

TEST(Plan, WhatAUserHadLatelyCounts) {
  TestCompute compute(0, 4);
  compute.past.add("ann", 4, 0, 60 * kMinute);
  compute.idle(1).wait(10, 1, 0, 0, "ann").wait(11, 1, 0, 0, "bob");
  EXPECT_EQ(started(compute.plan(61 * kMinute)), Runs{11});
}

TEST(Plan, AUserAtALimitHoldsUpNobodyElse) {
  TestCompute compute(0, 8);
  compute.view.compute.max_nodes_per_user = 2;
  compute.idle(6).run(1, 1, {}, "ann");
  compute.wait(10, 2, 5, 0, "ann").wait(11, 1, 0, 0, "ann").wait(12, 2, 0, 0, "bob").wait(13, 3, 0, 0, "bob");
  const auto plan = compute.plan();
  EXPECT_EQ(started(plan), Runs{12}) << "ann's second run must not overtake her first, 13 can never start";
  EXPECT_FALSE(plan.reserved) << "what ann waits for is her own run";
  compute.view.compute.max_nodes_per_user = 0;
  compute.view.compute.max_runs_per_user = 1;
  EXPECT_EQ(started(compute.plan()), Runs{12});
}

TEST(Plan, BackfillUsesTheTimeBeforeAReservation) {
  TestCompute compute(0, 4);
  compute.idle(2).run(1, 2, 60 * kMinute).wait(10, 4).wait(11, 1, 0, 50 * kMinute).wait(12, 1, 0, 70 * kMinute).wait(13);
  const auto plan = compute.plan(kSecond);
  ASSERT_TRUE(plan.reserved && plan.reserved->starts);
  EXPECT_EQ(*plan.reserved->starts, 60 * kMinute);
  EXPECT_EQ(started(plan), Runs{11}) << "the others would still run when run 10 can start";
  EXPECT_TRUE(plan.starts[0].backfill);
}

TEST(Plan, BackfillUsesNodesThatAReservationDoesNotNeed) {
  TestCompute compute(0, 6);
  compute.idle(3).run(1, 3, 60 * kMinute).wait(10, 5).wait(11).wait(12);
  EXPECT_EQ(started(compute.plan(kSecond)), Runs{11}) << "one node is to spare, and only one";
}

// The same endless runs that came after it must not be counted as its own spare nodes again and again.
TEST(Plan, WithoutTimeLimitsABigRunIsNotStarved) {
  TestCompute compute(0, 4);
  compute.idle(2).run(1, 2, {}, "ann", 0).wait(10, 3).wait(11).wait(12);
  EXPECT_EQ(started(compute.plan(20)), Runs{11});
  TestCompute later(0, 4);
  later.idle(1).run(1, 2, {}, "ann", 0).run(11, 1, {}, "ann", 20).wait(10, 3).wait(12);
  EXPECT_TRUE(later.plan(30).starts.empty());
  TestCompute latest(0, 4);
  latest.idle(3).run(11, 1, {}, "ann", 20).wait(10, 3).wait(12);
  EXPECT_EQ(started(latest.plan(40)), Runs{10});
}

TEST(Plan, TellsWhoHasToHearThatNodesAreComing) {
  TestCompute compute;
  compute.wait(1);
  compute.queue.put({2, 0, 1, 0, 0, "ann", true});
  const auto plan = compute.plan();
  ASSERT_EQ(coming(plan), (Runs{1, 2}));
  EXPECT_FALSE(plan.coming[0].told);
  EXPECT_TRUE(plan.coming[1].told);
}

}  // namespace
}  // namespace roost
