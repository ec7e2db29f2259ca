#pragma once

#include <cstdint>

#include "sweeps/configurations.h"
#include "sweeps/draws.h"
#include "sweeps/observation.h"
#include "sweeps/search_space.h"

namespace roost {

// What a sampler is asked with. All must outlive the call.
struct DrawContext {
  const SearchSpace& space;
  const Observations& observations;
  const UsedConfigurations& used;
  std::uint64_t seed = 0;
  std::int64_t number = 0;

  // Draws that belong to this trial; `purpose` tells uses apart.
  Draws draws(std::uint64_t purpose) const { return Draws(mix(seed, static_cast<std::uint64_t>(number), purpose)); }
};

}  // namespace roost
