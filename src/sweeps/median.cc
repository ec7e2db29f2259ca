#include "sweeps/median.h"

#include <algorithm>

#include <fmt/format.h>

#include "sweeps/number_text.h"

namespace roost {
namespace {

double median_of(std::vector<double>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  if (values.size() % 2 == 1) return *half;
  return (*half + *std::max_element(values.begin(), half)) / 2;
}

}  // namespace

Verdict judge_median(Goal goal, const std::vector<Trial>& trials, std::size_t index, std::int64_t interval) {
  const auto own = best_value_until(trials[index], goal, interval);
  if (!own) return {};
  std::vector<double> means;
  std::size_t better = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (i == index || intervals_of(trials[i]) < interval) continue;
    const auto mean = mean_value_until(trials[i], interval);
    if (!mean) continue;
    means.push_back(*mean);
    if (is_better(goal, *mean, *own)) ++better;
  }
  if (means.size() < kMedianNeeds || better < means.size() / 2) return {};
  const double median = median_of(means);
  if (!is_better(goal, median, *own)) return {};
  const auto [own_text, cut_text] = compared_numbers(*own, median);
  return {Verdict::kStop,
          fmt::format("stopped at interval {}: {} is {} the median {} of the means of {} trials", interval, own_text,
                      goal == Goal::kMaximize ? "below" : "above", cut_text, means.size())};
}

}  // namespace roost
