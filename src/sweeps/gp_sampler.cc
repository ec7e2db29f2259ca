#include "sweeps/gp_sampler.h"

#include "sweeps/random_sampler.h"

namespace roost {

std::optional<Json> draw_gp(const DrawContext& context) { return draw_random(context); }

}  // namespace roost
