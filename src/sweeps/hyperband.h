#pragma once

#include "sweeps/rungs.h"

namespace roost {

// Hyperband (Li et al. 2016): brackets that begin to halve early or late, for curves that cross. Trials get their bracket by
// number: the first ceil((smax + 1) eta^s / (s + 1)) go to s = smax = floor(log_eta(max / min)), the most eager one, and so on
// down to 0, which stops nobody; then again from the start. Bracket s has s rungs, the first at min * eta^(smax - s). Within
// its bracket a trial is judged as by ASHA, without pauses unless they are asked for.
struct Bracket {
  std::int64_t s = 0;
  std::int64_t trials = 0;  // in one round
  std::int64_t first_rung = 1;
};
std::vector<Bracket> brackets_of(const PolicySettings& policy);

Ladder bracket_ladder(const PolicySettings& policy, std::int64_t number);  // that of a trial
std::vector<Ladder> bracket_ladders(const PolicySettings& policy);         // all, the most eager first

}  // namespace roost
