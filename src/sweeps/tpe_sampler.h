#pragma once

#include <optional>

#include "sweeps/draw_context.h"

namespace roost {

// Tree-structured Parzen estimator (Bergstra et al. 2011), multivariate: of some draws from a density around the best
// trials, the one that is likeliest there compared with a density around the others. Trials that run count among the
// others, so that what is drawn meanwhile keeps away from them. Trials that were stopped rank behind complete ones, by
// how far they got. Parameters with the same condition are drawn together, from trials that have them. The first draws, until
// there are ten results, are Sobol points.
std::optional<Json> draw_tpe(const DrawContext& context);

}  // namespace roost
