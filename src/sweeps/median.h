#pragma once

#include "sweeps/policy.h"

namespace roost {

// The fewest other trials that tell what is usual.
inline constexpr std::size_t kMedianNeeds = 3;

// Stops a trial whose best value up to N is worse than the median of the means of the first N values of the others that
// have reached N, ended ones and those of earlier sweeps among them. Judges nobody before three others have. NaN is left out
// of means, and a trial that has logged nothing else is not judged.
Verdict judge_median(Goal goal, const std::vector<Trial>& trials, std::size_t index, std::int64_t interval);

}  // namespace roost
