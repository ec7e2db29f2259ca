#pragma once

#include "sweeps/policy.h"

namespace roost {

// Stops a trial whose best value is worse than the best of all up to the same interval, by more than the slack. With a factor
// s the cut is best / (1 + s) for maximise and best * (1 + s) for minimise; for negative values, where that would be on the
// wrong side, best - |best| s / (1 + s) and best + |best| s, which are the same for positive ones.
Verdict judge_bandit(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                     std::int64_t interval);
double bandit_cut(const PolicySettings& policy, Goal goal, double best);

}  // namespace roost
