#include "runner/stop_plan.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

constexpr Micros kStart = 50 * kSecond;

TEST(StopPlan, NothingIsDoneToWhoIsToldNothing) {
  StopPlan plan;
  const auto act = plan.next(kStart, {});
  EXPECT_FALSE(act.terminate || act.kill);
  EXPECT_FALSE(plan.next_kill());
}

TEST(StopPlan, ACancelIsObeyedAtOnceAndKillsAfterTheGrace) {
  StopPlan plan;
  const StopPlan::Told told{false, 3, -1};
  EXPECT_TRUE(plan.next(kStart, told).terminate);
  EXPECT_EQ(plan.next_kill(), kStart + 3 * kSecond);
  auto act = plan.next(kStart + 3 * kSecond - 1, told);
  EXPECT_FALSE(act.terminate || act.kill);
  EXPECT_TRUE(plan.next(kStart + 3 * kSecond, told).kill);
  EXPECT_FALSE(plan.next_kill());
  act = plan.next(kStart + 9 * kSecond, told);
  EXPECT_FALSE(act.terminate || act.kill) << "once is enough";
}

TEST(StopPlan, NoGraceIsBothAtOnce) {
  StopPlan plan;
  const auto act = plan.next(kStart, {false, 0, -1});
  EXPECT_TRUE(act.terminate && act.kill);
}

TEST(StopPlan, AfterAFailureTheOthersHaveTheirLastWords) {
  StopPlan plan;
  const StopPlan::Told told{false, -1, 5};
  EXPECT_FALSE(plan.next(kStart, told).terminate);
  EXPECT_FALSE(plan.next(kStart + StopPlan::kLastWords - 1, told).terminate);
  EXPECT_TRUE(plan.next(kStart + StopPlan::kLastWords, told).terminate);
  EXPECT_EQ(plan.next_kill(), kStart + StopPlan::kLastWords + 5 * kSecond);
}

TEST(StopPlan, ACancelDoesNotWaitForLastWords) {
  StopPlan plan;
  EXPECT_FALSE(plan.next(kStart, {false, -1, 5}).terminate);
  EXPECT_TRUE(plan.next(kStart + 1, {false, 2, 5}).terminate);
  EXPECT_EQ(plan.next_kill(), kStart + 1 + 2 * kSecond);
}

TEST(StopPlan, WhatNobodyWantsIsKilledAtOnce) {
  StopPlan plan;
  const auto act = plan.next(kStart, {true, 30, -1});
  EXPECT_TRUE(act.kill);
  EXPECT_FALSE(act.terminate);
}

}  // namespace
}  // namespace roost
