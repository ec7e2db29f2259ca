#include "sweeps/trial.h"

#include <gtest/gtest.h>

#include "sweeps/draws.h"
#include "sweeps/test_trials.h"

namespace roost {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(Trial, best_value_is_that_of_a_plain_loop) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<double> values;
    for (std::uint64_t i = 0; i < seed % 23; ++i) {
      const double value = unit_from(mix(seed, i)) - 0.5;
      values.push_back(mix(seed, i, 1) % 5 == 0 ? kNan : value);
    }
    const Trial trial = make_trial(0, values);
    for (const Goal goal : {Goal::kMaximize, Goal::kMinimize}) {
      std::optional<double> best;
      EXPECT_EQ(best_value_until(trial, goal, 0), best);
      for (std::size_t n = 0; n < values.size(); ++n) {
        if (values[n] == values[n] && (!best || is_better(goal, values[n], *best))) best = values[n];
        EXPECT_EQ(best_value_until(trial, goal, static_cast<std::int64_t>(n) + 1), best);
      }
      EXPECT_EQ(best_value(trial, goal), best);
      EXPECT_EQ(best_value_until(trial, goal, 1000), best);
    }
  }
}

TEST(Trial, best_value_may_be_infinite_and_may_be_none) {
  EXPECT_EQ(best_value(make_trial(0, {kNan, -kInfinite}), Goal::kMaximize), -kInfinite);
  EXPECT_EQ(best_value(make_trial(0, {kInfinite, 1, kNan}), Goal::kMaximize), kInfinite);
  EXPECT_EQ(best_value(make_trial(0, {kInfinite, kNan}), Goal::kMinimize), kInfinite);
  EXPECT_EQ(best_value(make_trial(0, {kNan, kNan}), Goal::kMinimize), std::nullopt);
  EXPECT_EQ(best_value(make_trial(0, {}), Goal::kMaximize), std::nullopt);
}

}  // namespace
}  // namespace roost
