#pragma once

#include <optional>

#include "sweeps/draw_context.h"

namespace roost {

// A Gaussian process of the results, and where the improvement to be expected of it is largest (log EI). The first draws,
// until there are ten results, are Sobol points. Trials that run count as if what is expected of them had been seen there:
// what is drawn meanwhile keeps away from them, at the price of a row in the matrix, where sampling their joint
// outcomes costs a hundred times as much. Trials that were stopped count with their best value, but not as worse than the worst
// complete one. Beyond kMostGpPoints results (fewer where there are more than 16 dimensions) the best and a sample of the others
// are looked at, so that a suggestion takes no longer than then. Conditional spaces are left to TPE.
std::optional<Json> draw_gp(const DrawContext& context);

inline constexpr std::size_t kMostGpPoints = 200;

}  // namespace roost
