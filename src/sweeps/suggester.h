#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "sweeps/configurations.h"
#include "sweeps/observation.h"
#include "sweeps/sampler.h"

namespace roost {

// suggest() for a sweep that goes on: keeps of each trial what the sampler needs, so that a suggestion of random, sobol and
// grid costs the same at trial 10 and at trial 10,000. What it suggests depends only on the last put() of each number,
// in any order. For one thread.
class Suggester {
 public:
  Suggester(SamplingSettings settings, SearchSpace space, Goal goal);
  Suggester(Suggester&&) noexcept;
  Suggester& operator=(Suggester&&) noexcept;
  ~Suggester();

  // A trial is there, or has changed: its state, its values or its parameters.
  void put(const Trial& trial);
  // As suggest(). The trial is not put by it.
  std::optional<Json> suggest(std::int64_t number) const;

 private:
  struct State;
  std::unique_ptr<State> state_;  // it refers to the space in itself
};

}  // namespace roost
