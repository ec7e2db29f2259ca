#pragma once

#include <functional>

#include "sweeps/policy.h"

namespace roost {

// Asynchronous successive halving (Li et al. 2018). Rungs are at min, min * eta, min * eta^2, ... intervals, below max. At a
// rung the value logged there counts, not the best so far: that one stops trials which the paper keeps.

std::vector<std::int64_t> rungs_of(std::int64_t min_intervals, std::int64_t max_intervals, std::int64_t eta);

// pause: every trial pauses at each rung, and next_promotion says who goes on. Otherwise a trial is stopped at a rung unless
// it is in the top floor(n / eta) of the n that reached it, or the best of all while there are fewer than eta.
Verdict judge_asha(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                   std::int64_t interval);
// The same for a bracket: `belongs` says which trials are compared.
Verdict judge_rung(const std::vector<std::int64_t>& rungs, std::int64_t eta, Goal goal, const std::vector<Trial>& trials,
                   std::size_t index, std::int64_t interval, const std::function<bool(const Trial&)>& belongs);

// From the highest rung down: the best paused trial in the top floor(n / eta) of the n trials that reached its rung.
std::optional<std::int64_t> next_promotion(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials);

}  // namespace roost
