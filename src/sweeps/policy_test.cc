#include "sweeps/policy.h"

#include <gtest/gtest.h>

#include "sweeps/test_trials.h"

namespace roost {
namespace {

// The intervals of `up_to` at which a policy that stops everybody it looks at does so.
std::vector<std::int64_t> looked_at(std::string_view json, std::int64_t up_to) {
  std::vector<std::int64_t> out;
  const std::vector<double> many(static_cast<std::size_t>(up_to), 1.0);
  const std::vector<double> none(static_cast<std::size_t>(up_to), 0.0);
  const std::vector<Trial> trials = {make_trial(0, many), make_trial(1, none)};
  for (std::int64_t n = 1; n <= up_to; ++n) {
    if (judge(policy_of(json), Goal::kMaximize, trials, 1, n).kind == Verdict::kStop) out.push_back(n);
  }
  return out;
}

TEST(Policy, looks_at_multiples_of_the_interval_that_are_not_before_the_delay) {
  using List = std::vector<std::int64_t>;
  EXPECT_EQ(looked_at(R"({"type": "bandit", "slack_factor": 0})", 3), (List{1, 2, 3}));
  EXPECT_EQ(looked_at(R"({"type": "bandit", "slack_factor": 0, "evaluation_interval": 2})", 7), (List{2, 4, 6}));
  EXPECT_EQ(looked_at(R"({"type": "bandit", "slack_factor": 0, "delay_evaluation": 3})", 5), (List{3, 4, 5}));
  // Multiples count from the first value, not from the delay.
  EXPECT_EQ(looked_at(R"({"type": "bandit", "slack_factor": 0, "evaluation_interval": 3, "delay_evaluation": 5})", 12),
            (List{6, 9, 12}));
}

TEST(Policy, says_when_it_looks_next) {
  const auto next = [](std::string_view json, std::int64_t so_far) { return next_check(policy_of(json), so_far); };
  const char* const bandit = R"({"type": "bandit", "slack_factor": 0, "evaluation_interval": 3, "delay_evaluation": 5})";
  EXPECT_EQ(next(bandit, 0), 6);
  EXPECT_EQ(next(bandit, 5), 6);
  EXPECT_EQ(next(bandit, 6), 9);
  EXPECT_EQ(next(R"({"type": "median"})", 0), 1);
  EXPECT_EQ(next(R"({"type": "truncation", "truncation_percentage": 10, "delay_evaluation": 4})", 2), 4);
  EXPECT_EQ(next(R"({"type": "pbt", "interval": 5})", 5), 10);
  const char* const asha = R"({"type": "asha", "min_intervals": 2, "max_intervals": 20})";
  EXPECT_EQ(next(asha, 0), 2);
  EXPECT_EQ(next(asha, 2), 6);
  EXPECT_EQ(next(asha, 17), 18);
  EXPECT_EQ(next(asha, 18), std::nullopt);
  EXPECT_EQ(next("null", 0), std::nullopt);
  const auto hyperband = policy_of(R"({"type": "hyperband", "max_intervals": 9})");  // 9, 5 and 3 trials a round
  EXPECT_EQ(next_check(hyperband, 0, 0), 1);
  EXPECT_EQ(next_check(hyperband, 0, 9), 3);
  EXPECT_EQ(next_check(hyperband, 0, 14), std::nullopt);
  EXPECT_EQ(next_check(hyperband, 0, 17), 1);
}

// What next_check() says is where judge() may stop, and nowhere else.
TEST(Policy, looks_next_where_it_says) {
  for (const char* json : {R"({"type": "bandit", "slack_factor": 0, "evaluation_interval": 4, "delay_evaluation": 6})",
                           R"({"type": "asha", "pause": false, "min_intervals": 2, "max_intervals": 40})",
                           R"({"type": "hyperband", "max_intervals": 40})"}) {
    std::vector<std::int64_t> said;
    for (auto n = next_check(policy_of(json), 0, 1); n && *n <= 60; n = next_check(policy_of(json), *n, 1)) said.push_back(*n);
    EXPECT_EQ(looked_at(json, 60), said) << json;
  }
}

TEST(Policy, lets_everybody_go_on_without_one_and_in_a_population) {
  const auto trials = with_values({0.9, 0.8, 0.7, 0.0});
  EXPECT_EQ(judge({}, Goal::kMaximize, trials, 3, 1).kind, Verdict::kGoOn);
  EXPECT_EQ(judge(policy_of(R"({"type": "pbt", "interval": 1})"), Goal::kMaximize, trials, 3, 1).kind, Verdict::kGoOn);
  EXPECT_EQ(next_to_resume({}, Goal::kMaximize, trials, false), std::nullopt);
}

}  // namespace
}  // namespace roost
