#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/policy.h"
#include "sweeps/search_space.h"

namespace roost {

// Population based training (Jaderberg et al. 2017): trials train side by side, and those behind go on from a copy of one that
// is ahead, with its parameters changed a little. A trial cannot change its arguments, so it ends, and a new trial takes its
// place: it starts from the source's ./outputs, and its `values` begin with those that the source had logged.

struct HandOver {
  std::int64_t from = 0;  // the number of the trial whose ./outputs the new one starts from
  Json parameters;        // of the new one
  std::string reason;     // why this one ends
};

// About trial `index`, which has logged its `interval`-th value; a new trial is not asked about intervals that it inherited.
// None unless interval % policy.interval == 0. Compared are the values at this interval of the pending trials that have reached
// it. The worst floor(quantile * n) of the n hand over to one of the best floor(quantile * n) that runs, drawn at random;
// nobody does to one that is not better. NaN is worse than any number.
// Each parameter of the source is drawn anew with resample_probability. Else a number is multiplied by 1.2 or 0.8 and stays
// within its bounds, a rounded one moves by at least a step, and a choice or randint moves to a neighbour in its list. A
// parameter whose condition is newly met is drawn, one whose condition no longer is goes.
// A pure function: the same after a restart.
std::optional<HandOver> hand_over(const PolicySettings& policy, const SearchSpace& space, Goal goal,
                                  const std::vector<Trial>& trials, std::size_t index, std::int64_t interval,
                                  std::uint64_t seed);

// The fewest trials side by side with which anybody hands over: 4 for a quantile of 0.25.
std::int64_t least_population(const PolicySettings& policy);

}  // namespace roost
