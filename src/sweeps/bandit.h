#pragma once

#include "sweeps/policy.h"

namespace roost {

// Stops a trial whose best value up to N is worse than the best of all trials up to N by more than the slack. All count:
// ended ones, those of earlier sweeps, and those that have not reached N but are ahead already. Equal to the cut goes on. With
// a factor s the cut is best / (1 + s) for maximise and best * (1 + s) for minimise; for negative values, where that would be
// on the wrong side, best - |best| s / (1 + s) and best + |best| s, which are the same for positive ones. A trial that has
// logged nothing but NaN is not judged.
Verdict judge_bandit(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                     std::int64_t interval);
double bandit_cut(const PolicySettings& policy, Goal goal, double best);

}  // namespace roost
