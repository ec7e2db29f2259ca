#pragma once

#include <optional>

#include "sweeps/draw_context.h"

namespace roost {

std::optional<Json> draw_sobol(const DrawContext& context);

}  // namespace roost
