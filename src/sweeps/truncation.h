#pragma once

#include "sweeps/policy.h"

namespace roost {

// Stops a trial that is among the worst floor(X % of k) of the k trials that have reached the interval, itself included, by
// their best value up to it, so that no trial wins by its age. Ended trials and those of earlier sweeps count; with
// exclude_finished_jobs only trials that have not ended do. Trials that are equal are not told apart: they go on. One that has
// logged nothing but NaN does not count and is not judged.
Verdict judge_truncation(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                         std::int64_t interval);

}  // namespace roost
