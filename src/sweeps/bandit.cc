#include "sweeps/bandit.h"

#include <cmath>

#include <fmt/format.h>

#include "sweeps/number_text.h"

namespace roost {

double bandit_cut(const PolicySettings& policy, Goal goal, double best) {
  if (policy.slack_amount) return goal == Goal::kMaximize ? best - *policy.slack_amount : best + *policy.slack_amount;
  const double s = policy.slack_factor ? *policy.slack_factor : 0;
  if (goal == Goal::kMinimize) return best + std::abs(best) * s;
  // The first form is exact where the values are positive.
  return best >= 0 ? best / (1 + s) : best - std::abs(best) * s / (1 + s);
}

Verdict judge_bandit(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                     std::int64_t interval) {
  const auto own = best_value_until(trials[index], goal, interval);
  if (!own) return {};
  double best = *own;
  for (const Trial& trial : trials) {
    const auto value = best_value_until(trial, goal, interval);
    if (value && is_better(goal, *value, best)) best = *value;
  }
  const double cut = bandit_cut(policy, goal, best);
  if (!is_better(goal, cut, *own)) return {};
  const auto [own_text, cut_text] = compared_numbers(*own, cut);
  const double slack = policy.slack_amount ? *policy.slack_amount : policy.slack_factor ? *policy.slack_factor : 0;
  return {Verdict::kStop, fmt::format("stopped at interval {}: {} is {} the cut {} (best {}, slack {})", interval, own_text,
                                      goal == Goal::kMaximize ? "below" : "above", cut_text, clause_number(best), slack)};
}

}  // namespace roost
