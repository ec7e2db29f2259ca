#include "sweeps/trial.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roost {
namespace {

std::size_t first(const Trial& trial, std::int64_t intervals) {
  return std::min(trial.values.size(), static_cast<std::size_t>(std::max<std::int64_t>(intervals, 0)));
}

}  // namespace

std::string_view trial_state_name(TrialState state) {
  switch (state) {
    case TrialState::kWaiting: return "waiting";
    case TrialState::kRunning: return "running";
    case TrialState::kPaused: return "paused";
    case TrialState::kCompleted: return "completed";
    case TrialState::kStopped: return "stopped";
    case TrialState::kFailed: return "failed";
    case TrialState::kCanceled: return "canceled";
  }
  return "";
}

std::optional<double> best_value(const Trial& trial, Goal goal) {
  return best_value_until(trial, goal, intervals_of(trial));
}

std::optional<double> best_value_until(const Trial& trial, Goal goal, std::int64_t intervals) {
  // A policy goes over all trials at every logged value: no optional in the loop.
  const double* const end = trial.values.data() + first(trial, intervals);
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const double* value = trial.values.data(); value != end; ++value) {
    if (!(is_better(goal, best, *value) || std::isnan(*value))) best = *value;
  }
  if (std::isnan(best)) return std::nullopt;
  return best;
}

std::optional<double> mean_value_until(const Trial& trial, std::int64_t intervals) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < first(trial, intervals); ++i) {
    if (std::isnan(trial.values[i])) continue;
    sum += trial.values[i];
    count += 1;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

}  // namespace roost
