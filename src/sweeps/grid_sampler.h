#pragma once

#include <optional>

#include "sweeps/draw_context.h"

namespace roost {

// Configuration `number` of the product of all dimensions, the first one slowest; the next free one if it was had.
std::optional<Json> draw_grid(const DrawContext& context);

}  // namespace roost
