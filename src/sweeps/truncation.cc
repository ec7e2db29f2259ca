#include "sweeps/truncation.h"

#include <algorithm>

#include <fmt/format.h>

#include "sweeps/number_text.h"

namespace roost {

Verdict judge_truncation(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                         std::int64_t interval) {
  const auto own = best_value_until(trials[index], goal, interval);
  if (!own) return {};
  std::vector<double> values{*own};
  std::size_t better = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (i == index || intervals_of(trials[i]) < interval) continue;
    if (policy.exclude_finished_jobs && is_finished(trials[i])) continue;
    const auto value = best_value_until(trials[i], goal, interval);
    if (!value) continue;
    values.push_back(*value);
    if (is_better(goal, *value, *own)) ++better;
  }
  const std::size_t worst = values.size() * static_cast<std::size_t>(policy.truncation_percentage) / 100;
  const std::size_t kept = values.size() - worst;
  if (better < kept) return {};
  const auto last_kept = values.begin() + static_cast<std::ptrdiff_t>(kept) - 1;
  std::nth_element(values.begin(), last_kept, values.end(), [&](double a, double b) { return is_better(goal, a, b); });
  const auto [own_text, cut_text] = compared_numbers(*own, *last_kept);
  return {Verdict::kStop, fmt::format("stopped at interval {}: {} is {} the cut {} (the worst {} % of {} trials)", interval,
                                      own_text, goal == Goal::kMaximize ? "below" : "above", cut_text,
                                      policy.truncation_percentage, values.size())};
}

}  // namespace roost
