#include "sweeps/pbt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sweeps/test_trials.h"

namespace roost {
namespace {

const PolicySettings kPbt = policy_of(R"({"type": "pbt", "interval": 2, "resample_probability": 0})");
const PolicySettings kResampling = policy_of(R"({"type": "pbt", "interval": 2, "resample_probability": 1})");

Dimension uniform(std::string name, double low, double high) {
  Dimension dimension;
  dimension.name = std::move(name);
  dimension.low = low;
  dimension.high = high;
  return dimension;
}

Dimension choice(std::string name, std::vector<Json> choices) {
  Dimension dimension;
  dimension.name = std::move(name);
  dimension.expression = Expression::kChoice;
  dimension.choices = std::move(choices);
  return dimension;
}

const SearchSpace kSpace = {{uniform("lr", 0, 1)}};

// As many trials as values, each with two values logged; the second is the given one.
std::vector<Trial> population(const std::vector<double>& values) {
  std::vector<Trial> trials;
  for (const double value : values) {
    trials.push_back(make_trial(static_cast<std::int64_t>(trials.size()), {0.5, value}));
    trials.back().parameters = {{"lr", 0.5}};
  }
  return trials;
}

std::optional<HandOver> ask(const std::vector<Trial>& trials, std::size_t index, std::uint64_t seed = 1,
                            const PolicySettings& policy = kPbt, const SearchSpace& space = kSpace) {
  return hand_over(policy, space, Goal::kMaximize, trials, index, 2, seed);
}

// The parameters that the last of four trials gets from the first, for many seeds.
std::vector<Json> handed(const SearchSpace& space, const Json& source, const PolicySettings& policy = kPbt) {
  auto trials = population({0.9, 0.8, 0.7, 0.1});
  trials[0].parameters = source;
  std::vector<Json> out;
  for (std::uint64_t seed = 0; seed < 200; ++seed) out.push_back(ask(trials, 3, seed, policy, space)->parameters);
  return out;
}

TEST(Pbt, the_worst_hand_over_to_the_best) {
  const auto trials = population({0.9, 0.2, 0.8, 0.1, 0.5, 0.6, 0.7, 0.4});
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto over = ask(trials, i);
    ASSERT_EQ(over.has_value(), i == 1 || i == 3) << i;
    EXPECT_TRUE(!over || over->from == 0 || over->from == 2);
  }
  std::vector<int> chosen(8);
  for (std::uint64_t seed = 0; seed < 100; ++seed) ++chosen[static_cast<std::size_t>(ask(trials, 3, seed)->from)];
  EXPECT_GT(chosen[0], 25);
  EXPECT_GT(chosen[2], 25);
  const auto minimising = hand_over(kPbt, kSpace, Goal::kMinimize, trials, 0, 2, 1);
  ASSERT_TRUE(minimising);
  EXPECT_TRUE(minimising->from == 1 || minimising->from == 3);
}

TEST(Pbt, asks_at_multiples_of_the_interval_about_the_value_there) {
  auto trials = population({0.9, 0.8, 0.7, 0.1});
  EXPECT_FALSE(hand_over(kPbt, kSpace, Goal::kMaximize, trials, 3, 1, 1));
  for (auto& trial : trials) trial.values.push_back(0.5);
  EXPECT_FALSE(hand_over(kPbt, kSpace, Goal::kMaximize, trials, 3, 3, 1));
  EXPECT_FALSE(hand_over(kPbt, kSpace, Goal::kMaximize, trials, 3, 4, 1));  // not there yet
  trials[3].values = {0.99, 0.1};  // the best so far does not help
  EXPECT_TRUE(ask(trials, 3));
}

TEST(Pbt, needs_enough_trials_that_came_so_far) {
  EXPECT_EQ(least_population(kPbt), 4);
  EXPECT_EQ(least_population(policy_of(R"({"type": "pbt", "quantile": 0.5})")), 2);
  EXPECT_EQ(least_population(policy_of(R"({"type": "pbt", "quantile": 0.1})")), 10);
  EXPECT_FALSE(ask(population({0.1}), 0));
  EXPECT_FALSE(ask(population({0.9, 0.8, 0.1}), 2));
  auto trials = population({0.9, 0.8, 0.7, 0.1});
  trials[1].values.pop_back();
  EXPECT_FALSE(ask(trials, 3));
}

TEST(Pbt, leaves_out_ended_trials_and_copies_only_what_runs) {
  auto trials = population({0.9, 0.8, 0.7, 0.6, 0.1});
  trials[0].state = TrialState::kCompleted;
  EXPECT_EQ(ask(trials, 4)->from, 1);
  trials[1].state = TrialState::kWaiting;  // has inherited its values and nothing of its own to give
  EXPECT_FALSE(ask(trials, 4));
  trials[4].number = -1;
  trials[4].state = TrialState::kStopped;
  EXPECT_FALSE(ask(trials, 4));
}

TEST(Pbt, treats_nan_as_the_worst_and_never_copies_it) {
  const auto diverged = ask(population({0.9, kNan, 0.7, 0.1}), 1);
  ASSERT_TRUE(diverged);
  EXPECT_EQ(diverged->from, 0);
  EXPECT_EQ(diverged->reason, "stopped at interval 2: NaN is the worst of 4; a copy of trial 0 (0.900) takes its place");
  EXPECT_FALSE(ask(population({0.9, kNan, 0.7, 0.1}), 3));
  EXPECT_FALSE(ask(population({kNan, kNan, kNan, kNan}), 3));
}

TEST(Pbt, does_not_hand_over_to_one_that_is_not_better) {
  const auto equal = population({0.5, 0.5, 0.5, 0.5});
  for (std::size_t i = 0; i < equal.size(); ++i) EXPECT_FALSE(ask(equal, i));
}

TEST(Pbt, is_the_same_after_a_restart_and_another_at_the_next_interval) {
  auto trials = population({0.9, 0.8, 0.7, 0.1});
  EXPECT_EQ(ask(trials, 3)->parameters, ask(trials, 3)->parameters);
  for (auto& trial : trials) trial.values.resize(400, trial.values.back());
  int up = 0;
  for (std::int64_t n = 2; n <= 400; n += 2) {
    up += hand_over(kPbt, kSpace, Goal::kMaximize, trials, 3, n, 1)->parameters["lr"] == 0.6;
  }
  EXPECT_NEAR(up, 100, 30);
}

TEST(Pbt, scales_numbers_within_their_bounds) {
  for (const Json& parameters : handed(kSpace, {{"lr", 0.5}})) {
    EXPECT_TRUE(parameters == Json({{"lr", 0.6}}) || parameters == Json({{"lr", 0.4}})) << parameters;
  }
  for (const Json& parameters : handed(kSpace, {{"lr", 0.9}})) {
    EXPECT_TRUE(parameters["lr"] == 1.0 || parameters["lr"] == 0.9 * 0.8) << parameters;
  }
  const SearchSpace high = {{uniform("lr", 0.45, 1)}};
  for (const Json& parameters : handed(high, {{"lr", 0.5}})) {
    EXPECT_TRUE(parameters["lr"] == 0.6 || parameters["lr"] == 0.45) << parameters;
  }
  const SearchSpace negative = {{uniform("x", -1, 1)}};
  for (const Json& parameters : handed(negative, {{"x", -0.9}})) {
    EXPECT_TRUE(parameters["x"] == -1.0 || parameters["x"] == -0.9 * 0.8) << parameters;
  }
  Dimension log = uniform("lr", std::log(1e-4), std::log(1e-1));
  log.expression = Expression::kLogUniform;
  for (const Json& parameters : handed({{log}}, {{"lr", 1e-4}})) {
    EXPECT_TRUE(parameters["lr"] == 1.2e-4 || std::abs(parameters["lr"].get<double>() - 1e-4) < 1e-18) << parameters;
  }
  Dimension normal = uniform("x", 0, 1);
  normal.expression = Expression::kNormal;
  for (const Json& parameters : handed({{normal}}, {{"x", -2.0}})) {
    EXPECT_TRUE(parameters["x"] == -2.4 || parameters["x"] == -1.6) << parameters;
  }
}

TEST(Pbt, moves_rounded_numbers_by_a_step_at_least) {
  Dimension units = uniform("units", 1, 10);
  units.expression = Expression::kQUniform;
  units.q = 1;
  const auto moved = [&](int from) {
    std::vector<int> out;
    for (const Json& parameters : handed({{units}}, {{"units", from}})) {
      EXPECT_TRUE(parameters["units"].is_number_integer()) << parameters;
      if (std::find(out.begin(), out.end(), parameters["units"].get<int>()) == out.end()) out.push_back(parameters["units"]);
    }
    std::sort(out.begin(), out.end());
    return out;
  };
  EXPECT_EQ(moved(2), (std::vector<int>{1, 3}));
  EXPECT_EQ(moved(5), (std::vector<int>{4, 6}));
  EXPECT_EQ(moved(10), (std::vector<int>{8, 10}));
  EXPECT_EQ(moved(1), (std::vector<int>{1, 2}));
}

TEST(Pbt, moves_choices_to_a_neighbour) {
  const SearchSpace space = {{choice("size", {"s", "m", "l", "xl"})}};
  for (const Json& parameters : handed(space, {{"size", "m"}})) {
    EXPECT_TRUE(parameters["size"] == "s" || parameters["size"] == "l") << parameters;
  }
  for (const Json& parameters : handed(space, {{"size", "xl"}})) {
    EXPECT_TRUE(parameters["size"] == "xl" || parameters["size"] == "l") << parameters;
  }
  Dimension randint = uniform("depth", 0, 5);
  randint.expression = Expression::kRandint;
  for (const Json& parameters : handed({{randint}}, {{"depth", 2}})) {
    EXPECT_TRUE(parameters["depth"] == 1 || parameters["depth"] == 3) << parameters;
  }
}

TEST(Pbt, draws_anew_with_the_given_probability) {
  const auto all = handed(kSpace, {{"lr", 0.5}}, kResampling);
  double sum = 0;
  for (const Json& parameters : all) sum += parameters["lr"].get<double>();
  EXPECT_NEAR(sum / static_cast<double>(all.size()), 0.5, 0.06);
  const auto some = handed(kSpace, {{"lr", 0.5}}, policy_of(R"({"type": "pbt", "interval": 2})"));
  const auto drawn = std::count_if(some.begin(), some.end(), [](const Json& p) { return p["lr"] != 0.6 && p["lr"] != 0.4; });
  EXPECT_NEAR(static_cast<double>(drawn), 50, 20);
}

TEST(Pbt, respects_conditions) {
  Dimension momentum = uniform("momentum", 0.5, 0.99);
  momentum.when = Condition{"optimizer", {"sgd"}};
  const SearchSpace space = {{choice("optimizer", {"sgd", "adam"}), momentum}};
  bool came = false;
  bool went = false;
  for (const Json& parameters : handed(space, {{"optimizer", "sgd"}, {"momentum", 0.7}})) {
    EXPECT_EQ(parameters.contains("momentum"), parameters["optimizer"] == "sgd") << parameters;
    went |= !parameters.contains("momentum");
  }
  for (const Json& parameters : handed(space, {{"optimizer", "adam"}})) {
    EXPECT_EQ(parameters.contains("momentum"), parameters["optimizer"] == "sgd") << parameters;
    if (!parameters.contains("momentum")) continue;
    came = true;
    EXPECT_GE(parameters["momentum"].get<double>(), 0.5);
    EXPECT_LE(parameters["momentum"].get<double>(), 0.99);
  }
  EXPECT_TRUE(came);
  EXPECT_TRUE(went);
}

TEST(Pbt, draws_what_the_source_has_in_no_form_of_the_space) {
  for (const Json& parameters : handed(kSpace, {{"lr", "fast"}})) EXPECT_TRUE(parameters["lr"].is_number()) << parameters;
  for (const Json& parameters : handed(kSpace, Json())) EXPECT_TRUE(parameters["lr"].is_number()) << parameters;
}

TEST(Pbt, gives_its_numbers) {
  EXPECT_EQ(ask(population({0.9, 0.8, 0.7, 0.1}), 3)->reason,
            "stopped at interval 2: 0.100 is the worst of 4; a copy of trial 0 (0.900) takes its place");
  const auto over = ask(population({0.9, 0.9, 0.8, 0.8, 0.7, 0.7, 0.2, 0.1}), 6);
  EXPECT_TRUE(over->reason.starts_with("stopped at interval 2: 0.200 is among the worst 2 of 8; a copy of trial "));
}

// The best learning rate falls a hundredfold during training, which no fixed one can follow.
double gain(double lr, std::int64_t step) {
  const double wanted = std::log(0.1) + (std::log(0.001) - std::log(0.1)) * static_cast<double>(step) / 100;
  return std::exp(-std::pow((std::log(lr) - wanted) / 0.7, 2));
}

// Twelve trials of a hundred steps side by side; returns the best result.
double train_population(const PolicySettings& policy, std::uint64_t seed) {
  Dimension lr = uniform("lr", std::log(1e-4), 0);
  lr.expression = Expression::kLogUniform;
  const SearchSpace space = {{lr}};
  std::vector<Trial> trials;
  for (std::int64_t i = 0; i < 12; ++i) {
    trials.push_back(make_trial(i, {}));
    trials.back().parameters = {{"lr", std::exp(std::log(1e-4) * (static_cast<double>(i) + 0.5) / 12)}};
  }
  for (std::int64_t step = 1; step <= 100; ++step) {
    const std::size_t count = trials.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_pending(trials[i])) continue;
      trials[i].values.push_back((step == 1 ? 0 : trials[i].values.back()) + gain(trials[i].parameters["lr"], step));
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_pending(trials[i])) continue;
      const auto over = hand_over(policy, space, Goal::kMaximize, trials, i, step, seed);
      if (!over) continue;
      trials[i].state = TrialState::kStopped;
      Trial next = trials[static_cast<std::size_t>(over->from)];
      next.number = static_cast<std::int64_t>(trials.size());
      next.parameters = over->parameters;
      trials.push_back(std::move(next));
    }
  }
  double best = 0;
  for (const Trial& trial : trials) {
    if (is_pending(trial)) best = std::max(best, trial.values.back());
  }
  return best;
}

TEST(Pbt, follows_a_schedule_that_no_fixed_value_can) {
  const double alone = train_population(PolicySettings{}, 1);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double together = train_population(policy_of(R"({"type": "pbt", "interval": 5})"), seed);
    RecordProperty("alone", std::to_string(alone));
    RecordProperty("together", std::to_string(together));
    EXPECT_GT(together, 1.5 * alone) << "seed " << seed;
  }
}

}  // namespace
}  // namespace roost
