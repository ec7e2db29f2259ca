#include "compute/engines.h"

namespace roost {

ComputeEngine& Engines::choose(Compute& compute) const {
  const bool is_named = &of(compute) != engines_.back().get();
  if (!is_named) {
    for (const auto& engine : engines_) engine->claim(compute);
  }
  return of(compute);
}

}  // namespace roost
