#include "sweeps/configurations.h"

#include <algorithm>

#include "sweeps/dimension_values.h"

namespace roost {
namespace {

constexpr std::uint64_t kMost = 1ULL << 63;

std::optional<std::uint64_t> product(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  if (!a || !b || *a > kMost / std::max<std::uint64_t>(*b, 1)) return std::nullopt;
  return *a * *b;
}

bool allows(const Condition& when, const Json& value) {
  return std::find(when.values.begin(), when.values.end(), value) != when.values.end();
}

bool is_child(const Dimension& child, const Dimension& of) { return child.when && child.when->name == of.name; }

// Each dimension together with all that depend on it.
std::vector<std::optional<std::uint64_t>> branch_sizes(const std::vector<Dimension>& dimensions) {
  std::vector<std::optional<std::uint64_t>> sizes(dimensions.size());
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    const Dimension& own = dimensions[i];
    const bool parent = std::any_of(dimensions.begin(), dimensions.end(),
                                    [&](const Dimension& other) { return is_child(other, own); });
    if (!parent) {
      sizes[i] = value_count(own);
      continue;
    }
    std::optional<std::uint64_t> sum = 0;
    for (const Json& value : own.choices) {
      std::optional<std::uint64_t> with_value = 1;
      for (std::size_t j = i + 1; j < dimensions.size(); ++j) {
        if (is_child(dimensions[j], own) && allows(*dimensions[j].when, value)) with_value = product(with_value, sizes[j]);
      }
      if (!with_value || !sum || *sum > kMost - *with_value) return sizes;  // infinite: sizes[i] stays none
      *sum += *with_value;
    }
    sizes[i] = sum;
  }
  return sizes;
}

}  // namespace

std::optional<std::uint64_t> SearchSpace::size() const {
  const auto sizes = branch_sizes(dimensions);
  std::optional<std::uint64_t> count = 1;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (!dimensions[i].when) count = product(count, sizes[i]);
  }
  return count;
}

bool SearchSpace::is_conditional() const {
  return std::any_of(dimensions.begin(), dimensions.end(), [](const Dimension& d) { return d.when.has_value(); });
}

ConfigurationNumbers::ConfigurationNumbers(const SearchSpace& space)
    : space_(space), branches_(branch_sizes(space.dimensions)), size_(space.size()) {
  for (const Dimension& own : space.dimensions) {
    is_parent_.push_back(std::any_of(space.dimensions.begin(), space.dimensions.end(),
                                     [&](const Dimension& other) { return is_child(other, own); }));
  }
}

// Configurations of the dimensions from `from` on that do not depend on ones among themselves, after those in `parameters`.
std::uint64_t ConfigurationNumbers::completions(std::size_t from, const Json& parameters) const {
  std::uint64_t count = 1;
  for (std::size_t i = from; i < space_.dimensions.size(); ++i) {
    if (is_active(space_.dimensions[i], parameters)) count *= *branches_[i];
  }
  return count;
}

Json ConfigurationNumbers::at(std::uint64_t number) const {
  Json parameters = Json::object();
  for (std::size_t i = 0; i < space_.dimensions.size(); ++i) {
    const Dimension& dimension = space_.dimensions[i];
    if (!is_active(dimension, parameters)) continue;
    if (!is_parent_[i]) {
      const std::uint64_t each = completions(i + 1, parameters);
      parameters[dimension.name] = value_number(dimension, number / each);
      number %= each;
      continue;
    }
    for (const Json& value : dimension.choices) {
      parameters[dimension.name] = value;
      const std::uint64_t each = completions(i + 1, parameters);
      if (number < each) break;
      number -= each;
    }
  }
  return parameters;
}

std::optional<std::uint64_t> ConfigurationNumbers::of(const Json& given) const {
  if (!size_ || !given.is_object()) return std::nullopt;
  Json parameters = Json::object();
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < space_.dimensions.size(); ++i) {
    const Dimension& dimension = space_.dimensions[i];
    if (!is_active(dimension, parameters)) continue;
    const auto value = given.find(dimension.name);
    if (value == given.end()) return std::nullopt;
    const auto index = number_of_value(dimension, *value);
    if (!index) return std::nullopt;
    if (!is_parent_[i]) {
      parameters[dimension.name] = *value;
      number += *index * completions(i + 1, parameters);
      continue;
    }
    for (std::uint64_t before = 0; before < *index; ++before) {
      parameters[dimension.name] = dimension.choices[before];
      number += completions(i + 1, parameters);
    }
    parameters[dimension.name] = *value;
  }
  return number;
}

void UsedConfigurations::add(const Json& parameters) {
  if (const auto number = numbers_.of(parameters)) ++used_[*number];
}

void UsedConfigurations::remove(const Json& parameters) {
  const auto number = numbers_.of(parameters);
  if (!number) return;
  const auto found = used_.find(*number);
  if (found != used_.end() && --found->second == 0) used_.erase(found);
}

bool UsedConfigurations::has(const Json& parameters) const {
  const auto number = numbers_.of(parameters);
  return number && used_.contains(*number);
}

std::optional<Json> UsedConfigurations::next_free(std::uint64_t start) const {
  if (!numbers_.size() || all()) return std::nullopt;
  const std::uint64_t size = *numbers_.size();
  std::uint64_t number = start % size;
  for (auto at = used_.lower_bound(number); at != used_.end() && at->first == number; ++at) ++number;
  if (number < size) return numbers_.at(number);
  number = 0;
  for (auto at = used_.begin(); at != used_.end() && at->first == number; ++at) ++number;
  return numbers_.at(number);
}

}  // namespace roost
