#pragma once

#include <optional>

#include "sweeps/draw_context.h"

namespace roost {

// Independent draws. A configuration that was had is drawn again; after some attempts, a free one is taken instead. None
// if the space is used up.
std::optional<Json> draw_random(const DrawContext& context);

}  // namespace roost
