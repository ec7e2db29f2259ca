#include "sweeps/asha.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sweeps/number_text.h"

namespace roost {
namespace {

// The value at a rung that the trial has reached; NaN counts as the worst there is.
double value_at_rung(const Trial& trial, Goal goal, std::int64_t rung) {
  const double value = trial.values[static_cast<std::size_t>(rung - 1)];
  const double worst = std::numeric_limits<double>::infinity();
  return std::isnan(value) ? (goal == Goal::kMaximize ? -worst : worst) : value;
}

}  // namespace

std::vector<std::int64_t> rungs_of(std::int64_t min_intervals, std::int64_t max_intervals, std::int64_t eta) {
  std::vector<std::int64_t> rungs;
  for (std::int64_t rung = min_intervals; rung < max_intervals; rung *= eta) rungs.push_back(rung);
  return rungs;
}

Verdict judge_rung(const std::vector<std::int64_t>& rungs, std::int64_t eta, Goal goal, const std::vector<Trial>& trials,
                   std::size_t index, std::int64_t interval, const std::function<bool(const Trial&)>& belongs) {
  if (!std::binary_search(rungs.begin(), rungs.end(), interval) || intervals_of(trials[index]) < interval) return {};
  const double own = value_at_rung(trials[index], goal, interval);
  std::vector<double> values;
  for (const Trial& trial : trials) {
    if (intervals_of(trial) >= interval && belongs(trial)) values.push_back(value_at_rung(trial, goal, interval));
  }
  std::sort(values.begin(), values.end(), [&](double a, double b) { return is_better(goal, a, b); });
  const std::size_t top = std::max<std::size_t>(values.size() / static_cast<std::size_t>(eta), 1);
  const double cut = values[top - 1];
  if (!is_better(goal, cut, own)) return {};
  const auto [own_text, cut_text] = compared_numbers(own, cut);
  return {Verdict::kStop, fmt::format("stopped at interval {}: {} is {} the cut {} (the top {} of {} trials at this rung)",
                                      interval, own_text, goal == Goal::kMaximize ? "below" : "above", cut_text, top,
                                      values.size())};
}

Verdict judge_asha(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                   std::int64_t interval) {
  const auto rungs = rungs_of(policy.min_intervals, policy.max_intervals, policy.eta);
  if (!policy.pause) {
    return judge_rung(rungs, policy.eta, goal, trials, index, interval, [](const Trial&) { return true; });
  }
  if (!std::binary_search(rungs.begin(), rungs.end(), interval)) return {};
  return {Verdict::kPause, fmt::format("paused at interval {}: goes on when it is in the top 1/{} of the trials at this rung",
                                       interval, policy.eta)};
}

std::optional<std::int64_t> next_promotion(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials) {
  const auto rungs = rungs_of(policy.min_intervals, policy.max_intervals, policy.eta);
  for (std::size_t k = rungs.size(); k-- > 0;) {
    std::vector<const Trial*> reached;
    for (const Trial& trial : trials) {
      if (intervals_of(trial) >= rungs[k]) reached.push_back(&trial);
    }
    std::stable_sort(reached.begin(), reached.end(), [&](const Trial* a, const Trial* b) {
      return is_better(goal, value_at_rung(*a, goal, rungs[k]), value_at_rung(*b, goal, rungs[k]));
    });
    const std::size_t top = reached.size() / static_cast<std::size_t>(policy.eta);
    for (std::size_t i = 0; i < top; ++i) {
      const Trial& trial = *reached[i];
      const bool higher = k + 1 < rungs.size() && intervals_of(trial) >= rungs[k + 1];
      if (trial.state == TrialState::kPaused && !higher) return trial.number;
    }
  }
  return std::nullopt;
}

}  // namespace roost
