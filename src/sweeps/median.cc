#include "sweeps/median.h"

#include <algorithm>

#include <fmt/format.h>

#include "sweeps/number_text.h"

namespace roost {

Verdict judge_median(Goal goal, const std::vector<Trial>& trials, std::size_t index, std::int64_t interval) {
  const auto own = best_value_until(trials[index], goal, interval);
  if (!own) return {};
  std::vector<double> means;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (i == index || intervals_of(trials[i]) < interval) continue;
    if (const auto mean = mean_value_until(trials[i], interval)) means.push_back(*mean);
  }
  if (means.size() < kMedianNeeds) return {};
  std::sort(means.begin(), means.end());
  const std::size_t half = means.size() / 2;
  const double median = means.size() % 2 == 1 ? means[half] : (means[half - 1] + means[half]) / 2;
  if (!is_better(goal, median, *own)) return {};
  const auto [own_text, cut_text] = compared_numbers(*own, median);
  return {Verdict::kStop,
          fmt::format("stopped at interval {}: {} is {} the median {} of the means of {} trials", interval, own_text,
                      goal == Goal::kMaximize ? "below" : "above", cut_text, means.size())};
}

}  // namespace roost
