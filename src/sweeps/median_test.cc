#include "sweeps/median.h"

#include <gtest/gtest.h>

#include "sweeps/test_trials.h"

namespace roost {
namespace {

const PolicySettings kMedian = policy_of(R"({"type": "median"})");

Verdict::Kind verdict(Goal goal, const std::vector<Trial>& trials, std::size_t index, std::int64_t interval) {
  return judge(kMedian, goal, trials, index, interval).kind;
}

TEST(Median, compares_the_best_so_far_with_the_median_of_the_means) {
  // Means up to 2: 0.3, 0.5, 0.7; the median is 0.5.
  std::vector<Trial> trials = {make_trial(0, {0.2, 0.4, 0.9}), make_trial(1, {0.4, 0.6}), make_trial(2, {0.6, 0.8}),
                               make_trial(3, {0.49, 0.1})};
  EXPECT_EQ(verdict(Goal::kMaximize, trials, 3, 2), Verdict::kStop);
  trials[3].values = {0.51, 0.1};
  EXPECT_EQ(verdict(Goal::kMaximize, trials, 3, 2), Verdict::kGoOn);
  trials[3].values = {0.5, 0.1};
  EXPECT_EQ(verdict(Goal::kMaximize, trials, 3, 2), Verdict::kGoOn);  // equal
  EXPECT_EQ(verdict(Goal::kMinimize, trials, 3, 2), Verdict::kGoOn);  // its best is 0.1
  trials[3].values = {0.9, 0.51};
  EXPECT_EQ(verdict(Goal::kMinimize, trials, 3, 2), Verdict::kStop);
}

TEST(Median, of_an_even_number_is_between_the_two) {
  auto trials = with_values({0.1, 0.4, 0.6, 0.9, 0.49});
  EXPECT_EQ(verdict(Goal::kMaximize, trials, 4, 1), Verdict::kStop);
  trials[4].values = {0.51};
  EXPECT_EQ(verdict(Goal::kMaximize, trials, 4, 1), Verdict::kGoOn);
}

TEST(Median, judges_nobody_before_three_others_came_so_far) {
  EXPECT_EQ(verdict(Goal::kMaximize, with_values({0.0}), 0, 1), Verdict::kGoOn);
  EXPECT_EQ(verdict(Goal::kMaximize, with_values({0.8, 0.9, 0.0}), 2, 1), Verdict::kGoOn);
  std::vector<Trial> trials = {make_trial(0, {0.8, 0.8}), make_trial(1, {0.8, 0.8}), make_trial(2, {0.8}),
                               make_trial(3, {0.0, 0.0})};
  EXPECT_EQ(verdict(Goal::kMaximize, trials, 3, 2), Verdict::kGoOn);
  trials[2].values.push_back(0.8);
  EXPECT_EQ(verdict(Goal::kMaximize, trials, 3, 2), Verdict::kStop);
}

TEST(Median, counts_earlier_sweeps_and_leaves_out_nan) {
  std::vector<Trial> trials = {make_trial(-3, {0.8}, TrialState::kCompleted), make_trial(-2, {0.8}, TrialState::kStopped),
                               make_trial(-1, {0.8}, TrialState::kFailed), make_trial(0, {0.1})};
  EXPECT_EQ(verdict(Goal::kMaximize, trials, 3, 1), Verdict::kStop);
  trials[2].values = {kNan};
  EXPECT_EQ(verdict(Goal::kMaximize, trials, 3, 1), Verdict::kGoOn);  // two are left
  trials[2].values = {0.8};
  trials[3].values = {kNan};
  EXPECT_EQ(verdict(Goal::kMaximize, trials, 3, 1), Verdict::kGoOn);
  EXPECT_EQ(mean_value_until(make_trial(0, {0.2, kNan, 0.4}), 3), std::optional(0.30000000000000004));
}

TEST(Median, gives_its_numbers) {
  EXPECT_EQ(judge(kMedian, Goal::kMaximize, with_values({0.5, 0.6, 0.7, 0.4}), 3, 1).reason,
            "stopped at interval 1: 0.400 is below the median 0.600 of the means of 3 trials");
  EXPECT_EQ(judge(kMedian, Goal::kMinimize, with_values({-0.5, -0.6, -0.7, -0.4}), 3, 1).reason,
            "stopped at interval 1: -0.400 is above the median -0.600 of the means of 3 trials");
}

}  // namespace
}  // namespace roost
