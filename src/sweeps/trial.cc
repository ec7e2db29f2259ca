#include "sweeps/trial.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace roost {
namespace {

std::size_t first(const Trial& trial, std::int64_t intervals) {
  return std::min(trial.values.size(), static_cast<std::size_t>(std::max<std::int64_t>(intervals, 0)));
}

// Policies ask this of every trial at every logged value: four lanes without branches, for the compiler to put side by side.
// NaN loses each comparison.
template <class IsBetter>
double best_of(const double* values, std::size_t count, double worst, IsBetter is_better) {
  double lanes[4] = {worst, worst, worst, worst};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) lanes[k] = is_better(values[i + k], lanes[k]) ? values[i + k] : lanes[k];
  }
  for (; i < count; ++i) lanes[0] = is_better(values[i], lanes[0]) ? values[i] : lanes[0];
  for (std::size_t k = 1; k < 4; ++k) lanes[0] = is_better(lanes[k], lanes[0]) ? lanes[k] : lanes[0];
  return lanes[0];
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
  const double* const values = trial.values.data();
  const std::size_t count = first(trial, intervals);
  const double infinite = std::numeric_limits<double>::infinity();
  const double best = goal == Goal::kMaximize ? best_of(values, count, -infinite, std::greater<>())
                                              : best_of(values, count, infinite, std::less<>());
  if (!std::isinf(best)) return best;
  // Nothing was better than the worst there is: infinite, or no number at all.
  const auto is_number = [](double value) { return !std::isnan(value); };
  if (std::none_of(values, values + count, is_number)) return std::nullopt;
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
