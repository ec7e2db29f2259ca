#include "sweeps/random_sampler.h"

#include "sweeps/dimension_values.h"

namespace roost {
namespace {

constexpr std::uint64_t kAttempts = 32;

}  // namespace

std::optional<Json> draw_random(const DrawContext& context) {
  if (context.used.all()) return std::nullopt;
  const auto number = static_cast<std::uint64_t>(context.number);
  std::vector<double> units(context.space.dimensions.size());
  for (std::uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    for (std::size_t i = 0; i < units.size(); ++i) units[i] = unit_from(mix(context.seed, number, i, attempt));
    Json parameters = parameters_at(context.space, units);
    if (!context.used.has(parameters)) return parameters;
  }
  return context.used.next_free(mix(context.seed, number, kAttempts));
}

}  // namespace roost
