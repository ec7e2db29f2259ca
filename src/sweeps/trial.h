#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sweeps/goal.h"

namespace roost {

enum class TrialState { kWaiting, kRunning, kPaused, kCompleted, kStopped, kFailed, kCanceled };

std::string_view trial_state_name(TrialState state);  // "waiting"

// A child of a sweep as samplers and policies see it.
struct Trial {
  std::int64_t number = 0;
  Json parameters;
  TrialState state = TrialState::kWaiting;
  std::vector<double> values;  // every logged value of the primary metric, in order; NaN allowed
};

// NaN does not count; none if nothing else was logged.
std::optional<double> best_value(const Trial& trial, Goal goal);
// Of the first `intervals` values.
std::optional<double> best_value_until(const Trial& trial, Goal goal, std::int64_t intervals);
// The mean of the first `intervals` values without NaN.
std::optional<double> mean_value_until(const Trial& trial, std::int64_t intervals);

inline bool is_pending(const Trial& trial) {
  return trial.state == TrialState::kWaiting || trial.state == TrialState::kRunning;
}
inline bool is_finished(const Trial& trial) {
  return !is_pending(trial) && trial.state != TrialState::kPaused;
}
inline std::int64_t intervals_of(const Trial& trial) {
  return static_cast<std::int64_t>(trial.values.size());
}

}  // namespace roost
