#include "sweeps/truncation.h"

#include <gtest/gtest.h>

#include "sweeps/test_trials.h"

namespace roost {
namespace {

const PolicySettings kFifth = policy_of(R"({"type": "truncation", "truncation_percentage": 20})");

std::vector<std::size_t> stopped(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials,
                                 std::int64_t interval) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (intervals_of(trials[i]) < interval) continue;
    if (judge(policy, goal, trials, i, interval).kind == Verdict::kStop) out.push_back(i);
  }
  return out;
}

TEST(Truncation, stops_the_worst_share_rounded_down) {
  const auto ten = with_values({0.5, 0.1, 0.9, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 1.0});
  EXPECT_EQ(stopped(kFifth, Goal::kMaximize, ten, 1), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(stopped(kFifth, Goal::kMinimize, ten, 1), (std::vector<std::size_t>{2, 9}));
  const std::vector<Trial> nine(ten.begin(), ten.end() - 1);
  EXPECT_EQ(stopped(kFifth, Goal::kMaximize, nine, 1), (std::vector<std::size_t>{1}));
  const std::vector<Trial> four(ten.begin(), ten.begin() + 4);
  EXPECT_TRUE(stopped(kFifth, Goal::kMaximize, four, 1).empty());
  EXPECT_TRUE(stopped(kFifth, Goal::kMaximize, with_values({0.1}), 1).empty());
}

TEST(Truncation, leaves_at_least_one_whatever_the_share) {
  const auto most = policy_of(R"({"type": "truncation", "truncation_percentage": 99})");
  EXPECT_EQ(stopped(most, Goal::kMaximize, with_values({0.1, 0.2, 0.3}), 1), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(stopped(most, Goal::kMaximize, with_values({0.1}), 1).empty());
}

TEST(Truncation, does_not_tell_equal_trials_apart) {
  EXPECT_TRUE(stopped(kFifth, Goal::kMaximize, with_values({0.5, 0.5, 0.5, 0.5, 0.5}), 1).empty());
  EXPECT_TRUE(stopped(kFifth, Goal::kMaximize, with_values({0.5, 0.5, 0.9, 0.9, 0.9}), 1).empty());
}

TEST(Truncation, compares_values_of_the_same_age) {
  std::vector<Trial> trials;
  for (int i = 0; i < 4; ++i) trials.push_back(make_trial(i, {0.1, 0.9}));  // older and better by now
  trials.push_back(make_trial(4, {0.2}));
  EXPECT_TRUE(stopped(kFifth, Goal::kMaximize, trials, 1).empty());
  trials[4].values = {0.05};
  EXPECT_EQ(stopped(kFifth, Goal::kMaximize, trials, 1), (std::vector<std::size_t>{4}));
  trials[4].values = {0.05, 0.8};
  trials[3].values = {0.1};  // has not come to interval 2: four are left, and a fifth of four is nobody
  EXPECT_TRUE(stopped(kFifth, Goal::kMaximize, trials, 2).empty());
}

TEST(Truncation, counts_finished_trials_unless_told_not_to) {
  auto trials = with_values({0.9, 0.8, 0.7, 0.6, 0.5});
  trials[0].number = -1;
  for (int i = 0; i < 4; ++i) trials[static_cast<std::size_t>(i)].state = TrialState::kCompleted;
  EXPECT_EQ(judge(kFifth, Goal::kMaximize, trials, 4, 1).kind, Verdict::kStop);
  const auto exclude = policy_of(R"({"type": "truncation", "truncation_percentage": 20, "exclude_finished_jobs": true})");
  EXPECT_EQ(judge(exclude, Goal::kMaximize, trials, 4, 1).kind, Verdict::kGoOn);
  for (auto& trial : trials) trial.state = TrialState::kRunning;
  EXPECT_EQ(judge(exclude, Goal::kMaximize, trials, 4, 1).kind, Verdict::kStop);
}

TEST(Truncation, leaves_out_trials_without_a_number) {
  EXPECT_EQ(judge(kFifth, Goal::kMaximize, with_values({0.9, 0.8, 0.7, 0.6, kNan}), 4, 1).kind, Verdict::kGoOn);
  EXPECT_EQ(judge(kFifth, Goal::kMaximize, with_values({0.9, 0.8, 0.7, kNan, 0.5}), 4, 1).kind, Verdict::kGoOn);
}

TEST(Truncation, gives_its_numbers) {
  EXPECT_EQ(judge(kFifth, Goal::kMaximize, with_values({0.9, 0.8, 0.7, 0.6, 0.5}), 4, 1).reason,
            "stopped at interval 1: 0.500 is below the cut 0.600 (the worst 20 % of 5 trials)");
}

}  // namespace
}  // namespace roost
