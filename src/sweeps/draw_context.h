#pragma once

#include <cstdint>
#include <vector>

#include "sweeps/configurations.h"
#include "sweeps/draws.h"
#include "sweeps/search_space.h"
#include "sweeps/trial.h"

namespace roost {

// What a sampler is asked with. All must outlive the call.
struct DrawContext {
  const SearchSpace& space;
  const std::vector<Trial>& history;
  const UsedConfigurations& used;
  Goal goal = Goal::kMaximize;
  std::uint64_t seed = 0;
  std::int64_t number = 0;

  // Draws that belong to this trial; `purpose` tells uses apart.
  Draws draws(std::uint64_t purpose) const { return Draws(mix(seed, static_cast<std::uint64_t>(number), purpose)); }
};

}  // namespace roost
