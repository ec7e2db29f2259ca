#pragma once

#include <optional>

#include "sweeps/draw_context.h"

namespace roost {

// Point `number` of a Sobol sequence that the seed scrambled. Where a finite space has had that configuration, the same
// point of other scramblings is tried, then a free one taken. Parameters whose condition is not met leave their coordinate
// unused. Beyond kMostSobolDimensions, more than a sweep can have, coordinates come again under another scrambling.
std::optional<Json> draw_sobol(const DrawContext& context);

}  // namespace roost
