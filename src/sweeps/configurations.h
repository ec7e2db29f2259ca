#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "sweeps/search_space.h"
#include "sweeps/trial.h"

namespace roost {

// The configurations of a finite space have numbers: the product in order, the first dimension slowest.
Json configuration_at(const SearchSpace& space, std::uint64_t index);
std::optional<std::uint64_t> number_of_configuration(const SearchSpace& space, const Json& parameters);

// Which configurations of a finite space trials have had. Of an infinite one nothing is ever used.
class UsedConfigurations {
 public:
  // The space must outlive it.
  UsedConfigurations(const SearchSpace& space, const std::vector<Trial>& trials);

  bool has(const Json& parameters) const;
  bool all() const { return size_ && used_.size() >= *size_; }
  // The first free one from number `start % size` on; none if the space is infinite or used up.
  std::optional<Json> next_free(std::uint64_t start) const;

 private:
  const SearchSpace& space_;
  std::optional<std::uint64_t> size_;
  std::set<std::uint64_t> used_;
};

}  // namespace roost
