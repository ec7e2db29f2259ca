#include "domain/run_state.h"

#include <gtest/gtest.h>

#include <set>

namespace roost {
namespace {

TEST(RunState, TableIsInEnumOrderAndNamesRoundTrip) {
  for (const RunStatus status : all_statuses()) {
    EXPECT_EQ(status_from_name(status_name(status)), status);
  }
  EXPECT_FALSE(status_from_name("Paused"));
}

TEST(RunState, TheHappyPathIsAllowed) {
  using enum RunStatus;
  const RunStatus path[] = {kNotStarted, kStarting, kPreparing, kQueued, kProvisioning,
                            kRunning, kFinalizing, kCompleted};
  for (std::size_t i = 1; i < std::size(path); ++i) EXPECT_TRUE(may_follow(path[i - 1], path[i]));
}

TEST(RunState, EveryStateReachesAnEndAndNothingLeavesOne) {
  for (const RunStatus from : all_statuses()) {
    std::set<RunStatus> reached = {from};
    for (bool grew = true; grew;) {
      grew = false;
      for (const RunStatus a : std::set(reached)) {
        for (const RunStatus b : all_statuses()) {
          if (may_follow(a, b)) grew = reached.insert(b).second || grew;
        }
      }
    }
    bool ends = false;
    for (const RunStatus status : reached) ends = ends || is_terminal(status);
    EXPECT_TRUE(ends) << status_name(from);
    if (is_terminal(from)) {
      EXPECT_EQ(reached.size(), 1U);
    }
  }
}

TEST(RunState, EveryStateCanBeCanceled) {
  for (const RunStatus status : all_statuses()) {
    if (is_terminal(status) || status == RunStatus::kCancelRequested) continue;
    EXPECT_TRUE(may_follow(status, RunStatus::kCanceled) || may_follow(status, RunStatus::kCancelRequested))
        << status_name(status);
  }
  EXPECT_TRUE(may_follow(RunStatus::kFinalizing, RunStatus::kCancelRequested));
}

TEST(RunState, AFinishedRunHasPassedFinalizing) {
  EXPECT_FALSE(may_follow(RunStatus::kRunning, RunStatus::kCompleted));
  EXPECT_FALSE(may_follow(RunStatus::kQueued, RunStatus::kCompleted));
}

}  // namespace
}  // namespace roost
