#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sweeps/search_space.h"
#include "sweeps/trial.h"

namespace roost {

struct SamplingSettings {
  std::string type = "random";  // random, sobol, grid, tpe or gp
  std::uint64_t seed = 0;
};

// The "sampling" of a sweep; null means random. "bayesian" becomes gp, or tpe where the space is conditional. Refuses what
// cannot work with the space, such as a grid over a continuous parameter.
Result<SamplingSettings> parse_sampling(const Json& sampling, const SearchSpace& space);

// The parameters of trial `number`, a pure function of its arguments: the same after a restart, on another machine and
// with another compiler. `history` has the other trials, the running ones too. Never a configuration of a finite
// space that a trial in `history` has; none when it is used up. Takes time for every trial in `history`: for many
// suggestions use a Suggester (suggester.h).
std::optional<Json> suggest(const SamplingSettings& settings, const SearchSpace& space, Goal goal,
                            const std::vector<Trial>& history, std::int64_t number);

}  // namespace roost
