#pragma once

#include <memory>
#include <vector>

#include "compute/compute_engine.h"

namespace roost {

// The engines of this server. Made once, before anybody asks; thread-safe from then on.
class Engines {
 public:
  // The first that serves a compute or node has it, so what serves everything else comes last.
  void add(std::unique_ptr<ComputeEngine> engine) { engines_.push_back(std::move(engine)); }

  ComputeEngine& of(const Compute& compute) const { return find(compute); }
  ComputeEngine& of(const Node& node) const { return find(node); }
  // A compute is about to be made: the engine that it will have.
  ComputeEngine& choose(Compute& compute) const;

  const std::vector<std::unique_ptr<ComputeEngine>>& all() const { return engines_; }

 private:
  template <class Thing>
  ComputeEngine& find(const Thing& thing) const {
    for (const auto& engine : engines_) {
      if (engine->serves(thing)) return *engine;
    }
    return *engines_.back();
  }

  std::vector<std::unique_ptr<ComputeEngine>> engines_;
};

}  // namespace roost
