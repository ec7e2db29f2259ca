#include "sweeps/bandit.h"

#include <gtest/gtest.h>

#include "sweeps/test_trials.h"

namespace roost {
namespace {

const PolicySettings kFactor = policy_of(R"({"type": "bandit", "slack_factor": 0.2})");
const PolicySettings kAmount = policy_of(R"({"type": "bandit", "slack_amount": 0.2})");
const PolicySettings kZero = policy_of(R"({"type": "bandit", "slack_factor": 0})");

bool stops(const PolicySettings& policy, Goal goal, double own, double best) {
  return judge(policy, goal, with_values({best, own}), 1, 1).kind == Verdict::kStop;
}

TEST(Bandit, cuts_as_the_article_computes) {
  EXPECT_NEAR(bandit_cut(kFactor, Goal::kMaximize, 0.8), 0.6667, 1e-4);
  EXPECT_DOUBLE_EQ(bandit_cut(kAmount, Goal::kMaximize, 0.8), 0.6);
  EXPECT_TRUE(stops(kFactor, Goal::kMaximize, 0.66, 0.8));
  EXPECT_FALSE(stops(kFactor, Goal::kMaximize, 0.67, 0.8));
  EXPECT_TRUE(stops(kAmount, Goal::kMaximize, 0.59, 0.8));
  EXPECT_FALSE(stops(kAmount, Goal::kMaximize, 0.61, 0.8));
}

TEST(Bandit, mirrors_the_cut_when_it_minimises) {
  EXPECT_DOUBLE_EQ(bandit_cut(kFactor, Goal::kMinimize, 0.5), 0.6);
  EXPECT_DOUBLE_EQ(bandit_cut(kAmount, Goal::kMinimize, 0.5), 0.7);
  EXPECT_TRUE(stops(kFactor, Goal::kMinimize, 0.61, 0.5));
  EXPECT_FALSE(stops(kFactor, Goal::kMinimize, 0.59, 0.5));
}

TEST(Bandit, keeps_the_cut_on_the_worse_side_of_negative_values) {
  // best * 1.2 would be below the best itself, best / 1.2 above it.
  EXPECT_NEAR(bandit_cut(kFactor, Goal::kMaximize, -0.6), -0.7, 1e-12);
  EXPECT_NEAR(bandit_cut(kFactor, Goal::kMinimize, -0.5), -0.4, 1e-12);
  for (const Goal goal : {Goal::kMaximize, Goal::kMinimize}) {
    for (const double best : {-3.0, -0.1, 0.0, 0.1, 3.0}) {
      EXPECT_FALSE(is_better(goal, bandit_cut(kFactor, goal, best), best)) << best;
      EXPECT_FALSE(stops(kFactor, goal, best, best)) << best;
    }
  }
}

TEST(Bandit, without_slack_stops_what_is_worse_and_keeps_what_is_equal) {
  EXPECT_TRUE(stops(kZero, Goal::kMaximize, 0.7999999, 0.8));
  EXPECT_FALSE(stops(kZero, Goal::kMaximize, 0.8, 0.8));
  EXPECT_FALSE(stops(kZero, Goal::kMaximize, 0.9, 0.8));
}

TEST(Bandit, compares_the_best_so_far_and_nothing_later) {
  const std::vector<Trial> trials = {make_trial(0, {0.5, 0.6, 0.99}), make_trial(1, {0.58, 0.1})};
  EXPECT_EQ(judge(kFactor, Goal::kMaximize, trials, 1, 2).kind, Verdict::kGoOn);  // 0.58 against 0.6 / 1.2
  const std::vector<Trial> later = {make_trial(0, {0.5, 0.6, 0.99}), make_trial(1, {0.58, 0.1, 0.2})};
  EXPECT_EQ(judge(kFactor, Goal::kMaximize, later, 1, 3).kind, Verdict::kStop);
}

TEST(Bandit, compares_with_trials_that_have_not_come_so_far_yet) {
  const std::vector<Trial> trials = {make_trial(0, {0.9}), make_trial(1, {0.3, 0.4})};
  EXPECT_EQ(judge(kFactor, Goal::kMaximize, trials, 1, 2).kind, Verdict::kStop);
}

TEST(Bandit, compares_with_trials_of_earlier_sweeps_and_ended_ones) {
  std::vector<Trial> trials = {make_trial(-1, {0.9, 0.95}, TrialState::kCompleted), make_trial(0, {0.5})};
  EXPECT_EQ(judge(kFactor, Goal::kMaximize, trials, 1, 1).kind, Verdict::kStop);
  trials[0].state = TrialState::kFailed;
  EXPECT_EQ(judge(kFactor, Goal::kMaximize, trials, 1, 1).kind, Verdict::kStop);
}

TEST(Bandit, leaves_one_trial_alone_and_one_without_a_number) {
  EXPECT_EQ(judge(kZero, Goal::kMaximize, with_values({0.1}), 0, 1).kind, Verdict::kGoOn);
  EXPECT_EQ(judge(kZero, Goal::kMaximize, with_values({0.9, kNan}), 1, 1).kind, Verdict::kGoOn);
  EXPECT_EQ(judge(kZero, Goal::kMaximize, with_values({kNan, 0.1}), 1, 1).kind, Verdict::kGoOn);
  const std::vector<Trial> recovers = {make_trial(0, {0.9, 0.9}), make_trial(1, {0.1, kNan})};
  EXPECT_EQ(judge(kZero, Goal::kMaximize, recovers, 1, 2).kind, Verdict::kStop);  // by its 0.1
}

TEST(Bandit, gives_its_numbers) {
  const auto policy = policy_of(R"({"type": "bandit", "slack_factor": 0.1})");
  const std::vector<Trial> trials = {make_trial(0, {0.3, 0.5, 0.814}), make_trial(1, {0.2, 0.712, 0.6})};
  EXPECT_EQ(judge(policy, Goal::kMaximize, trials, 1, 3).reason,
            "stopped at interval 3: 0.712 is below the cut 0.740 (best 0.814, slack 0.1)");
  EXPECT_EQ(judge(policy, Goal::kMinimize, with_values({0.5, 0.7}), 1, 1).reason,
            "stopped at interval 1: 0.700 is above the cut 0.550 (best 0.500, slack 0.1)");
}

}  // namespace
}  // namespace roost
