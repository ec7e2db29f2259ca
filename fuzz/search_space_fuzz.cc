// Search spaces: whatever the bytes are, they are refused with a reason, or every sampler draws what belongs to the space.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "sweeps/dimension_values.h"
#include "sweeps/sampler.h"
#include "sweeps/suggester.h"

namespace {

void draw(const char* type, const roost::SearchSpace& space, std::uint64_t seed) {
  roost::Suggester suggester({type, seed}, space, roost::Goal::kMaximize);
  for (std::int64_t number = 0; number < 13; ++number) {
    const auto parameters = suggester.suggest(number);
    if (!parameters) return;
    if (!roost::units_of(space, *parameters)) __builtin_trap();
    const double value = number % 5 == 4 ? std::nan("") : static_cast<double>((seed >> number) & 7);
    suggester.put({number, *parameters, number % 3 == 2 ? roost::TrialState::kStopped : roost::TrialState::kCompleted, {value}});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto body = roost::parse_json(text, "the space");
  if (!body) return 0;
  const auto space = roost::parse_search_space(*body);
  if (!space) return space.error().message.empty() ? __builtin_trap(), 0 : 0;
  for (const char* type : {"random", "sobol", "grid", "tpe", "gp"}) {
    const bool learns = type[0] == 't' || type[1] == 'p';
    if (learns && space->dimensions.size() > 6) continue;
    const auto settings = roost::parse_sampling({{"type", type}}, *space);
    if (settings) draw(type, *space, size);
  }
  return 0;
}
