#pragma once

#include "sweeps/policy.h"

namespace roost {

// Hyperband (Li et al. 2016): brackets that begin to stop trials early or late, for curves that cross. Trials get their
// bracket by number: the first ceil((smax + 1) eta^s / (s + 1)) go to s = smax, the most eager one, and so on down to 0,
// which stops nobody; then again from the start. Within its bracket a trial is judged as ASHA without pauses does.
struct Bracket {
  std::int64_t s = 0;
  std::int64_t trials = 0;  // in one round
  std::int64_t first_rung = 1;
};
std::vector<Bracket> brackets_of(const PolicySettings& policy);
const Bracket& bracket_of(const std::vector<Bracket>& brackets, std::int64_t number);

Verdict judge_hyperband(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                        std::int64_t interval);

}  // namespace roost
