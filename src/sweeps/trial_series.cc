#include "sweeps/trial_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roost {

void TrialSeries::next_attempt(bool goes_on) {
  // One that logged nothing changes nothing, unless it was lost.
  goes_on_ = is_new_ ? goes_on_ && goes_on : goes_on;
  is_new_ = true;
  attempt_ += 1;
  of_attempt_ = 0;
}

void TrialSeries::begin(const LoggedValue& first) {
  is_new_ = false;
  std::size_t kept = goes_on_ ? values_.size() : 0;
  if (first.step) {
    const auto done_again = std::find_if(steps_.begin(), steps_.end(), [&](const auto& step) { return step && *step >= *first.step; });
    const bool has_steps = std::any_of(steps_.begin(), steps_.end(), [](const auto& step) { return step.has_value(); });
    if (has_steps) kept = static_cast<std::size_t>(done_again - steps_.begin());
  }
  values_.resize(kept);
  steps_.resize(kept);
}

void TrialSeries::add(const std::vector<LoggedValue>& more) {
  if (more.empty()) return;
  if (is_new_) begin(more.front());
  for (const auto& logged : more) {
    values_.push_back(std::isfinite(logged.value) ? logged.value : std::numeric_limits<double>::quiet_NaN());
    steps_.push_back(logged.step);
  }
  of_attempt_ += static_cast<std::int64_t>(more.size());
}

void TrialSeries::inherit(const TrialSeries& from, std::int64_t count) {
  const std::size_t most = std::min(from.values_.size(), static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  values_.assign(from.values_.begin(), from.values_.begin() + static_cast<std::ptrdiff_t>(most));
  steps_.assign(from.steps_.begin(), from.steps_.begin() + static_cast<std::ptrdiff_t>(most));
  is_new_ = true;
  goes_on_ = true;
}

}  // namespace roost
