#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sweeps/sampler.h"
#include "sweeps/suggester.h"

namespace roost {

inline SearchSpace space_of(const std::string& json) {
  const auto parsed = parse_search_space(Json::parse(json));
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : SearchSpace();
}

// Every expression, and a choice of numbers.
inline constexpr const char* kTen = R"([
  {"name": "choice", "expression": "choice", "values": ["a", "b", "c"]},
  {"name": "numbers", "expression": "choice", "values": [16, 32, 64, 128]},
  {"name": "randint", "expression": "randint", "values": [7]},
  {"name": "uniform", "expression": "uniform", "values": [-2, 3]},
  {"name": "quniform", "expression": "quniform", "values": [0, 1, 0.1]},
  {"name": "loguniform", "expression": "loguniform", "values": [-9, -1]},
  {"name": "qloguniform", "expression": "qloguniform", "values": [0, 5, 2]},
  {"name": "normal", "expression": "normal", "values": [10, 2]},
  {"name": "qnormal", "expression": "qnormal", "values": [0, 3, 0.5]},
  {"name": "lognormal", "expression": "lognormal", "values": [0, 1]},
  {"name": "qlognormal", "expression": "qlognormal", "values": [2, 0.5, 1]}])";

using Objective = std::function<double(const Json& parameters)>;

// A sweep of `count` trials one after another, each of which is complete before the next is drawn. Fewer if the space is used up.
inline std::vector<Trial> play(const std::string& sampler, const SearchSpace& space, std::int64_t count, const Objective& objective,
                               std::uint64_t seed = 1, Goal goal = Goal::kMinimize) {
  Suggester suggester({sampler, seed}, space, goal);
  std::vector<Trial> trials;
  for (std::int64_t number = 0; number < count; ++number) {
    auto parameters = suggester.suggest(number);
    if (!parameters) break;
    const double value = objective(*parameters);
    trials.push_back({number, std::move(*parameters), TrialState::kCompleted, {value}});
    suggester.put(trials.back());
  }
  return trials;
}

inline double best_of(const std::vector<Trial>& trials, Goal goal = Goal::kMinimize) {
  double best = *best_value(trials.front(), goal);
  for (const Trial& trial : trials) {
    if (const auto value = best_value(trial, goal); value && is_better(goal, *value, best)) best = *value;
  }
  return best;
}

}  // namespace roost
