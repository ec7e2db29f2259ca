#include "sweeps/sobol_sampler.h"

#include "sweeps/dimension_values.h"
#include "sweeps/sobol_sequence.h"

namespace roost {
namespace {

constexpr std::uint64_t kAttempts = 32;

}  // namespace

std::optional<Json> draw_sobol(const DrawContext& context) {
  if (context.used.all()) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(context.number);
  std::vector<double> units(context.space.dimensions.size());
  for (std::uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      units[i] = unit_from_bits(owen_scramble(sobol_bits(i % kMostSobolDimensions, index), mix(context.seed, i, attempt)));
    }
    Json parameters = parameters_at(context.space, units);
    if (!context.used.has(parameters)) return parameters;
  }
  return context.used.next_free(mix(context.seed, static_cast<std::uint64_t>(context.number), kAttempts));
}

}  // namespace roost
