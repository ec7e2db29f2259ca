#pragma once

#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sweeps/policy.h"

namespace roost {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline Trial make_trial(std::int64_t number, std::vector<double> values, TrialState state = TrialState::kRunning) {
  return {number, Json::object(), state, std::move(values)};
}

// Trials 0, 1, 2, ... that have logged one value each.
inline std::vector<Trial> with_values(const std::vector<double>& values, TrialState state = TrialState::kRunning) {
  std::vector<Trial> trials;
  for (const double value : values) trials.push_back(make_trial(static_cast<std::int64_t>(trials.size()), {value}, state));
  return trials;
}

inline PolicySettings policy_of(std::string_view json) {
  const auto policy = parse_policy(stored_json(json));
  if (!policy) throw std::runtime_error(policy.error().message);
  return *policy;
}

}  // namespace roost
