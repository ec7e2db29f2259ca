#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sweeps/gaussian_process.h"
#include "sweeps/search_space.h"

namespace roost {

// Where the improvement that is to be expected over `best` is largest, by its logarithm: Sobol points and points around
// `good` ones, then from the best of them downhill in continuous dimensions and value by value in discrete ones. Of points that
// `allows` refuses none is given; none at all if it refuses every one that was looked at.
struct GpSearch {
  const SearchSpace& space;
  const GaussianProcess& process;
  double best = 0;
  std::vector<std::vector<double>> good;
  std::uint64_t seed = 0;
  std::function<bool(const std::vector<double>& units)> allows;
};
std::optional<std::vector<double>> best_point(const GpSearch& search);

}  // namespace roost
