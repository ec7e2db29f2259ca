#pragma once

#include <cstdint>
#include <optional>
#include <map>
#include <vector>

#include "sweeps/search_space.h"

namespace roost {

// The configurations of a finite space have numbers: the product in order, the first dimension slowest.
class ConfigurationNumbers {
 public:
  explicit ConfigurationNumbers(const SearchSpace& space);  // which must outlive it

  std::optional<std::uint64_t> size() const { return size_; }  // none: the space is infinite, and nothing has a number
  Json at(std::uint64_t number) const;                         // below size()
  // None if the parameters are not of this space.
  std::optional<std::uint64_t> of(const Json& parameters) const;

 private:
  std::uint64_t completions(std::size_t from, const Json& parameters) const;

  const SearchSpace& space_;
  std::vector<std::optional<std::uint64_t>> branches_;  // of each dimension with all that depend on it
  std::vector<bool> is_parent_;
  std::optional<std::uint64_t> size_;
};

// Which configurations of a finite space trials have. Of an infinite one nothing is ever used.
class UsedConfigurations {
 public:
  explicit UsedConfigurations(const SearchSpace& space) : numbers_(space) {}  // which must outlive it

  void add(const Json& parameters);
  void remove(const Json& parameters);  // after as many add() of it as remove(), it is free
  bool has(const Json& parameters) const;
  bool is_finite() const { return numbers_.size().has_value(); }
  bool all() const { return numbers_.size() && used_.size() >= *numbers_.size(); }
  // The first free one from number `start % size` on; none if the space is infinite or used up.
  std::optional<Json> next_free(std::uint64_t start) const;

 private:
  ConfigurationNumbers numbers_;
  std::map<std::uint64_t, std::int64_t> used_;
};

}  // namespace roost
