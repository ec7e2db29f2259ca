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

// Goes through the dimensions of a finite space in order, knowing how many configurations each value begins.
class Walk {
 public:
  explicit Walk(const SearchSpace& space) : dimensions_(space.dimensions), sizes_(branch_sizes(space.dimensions)) {}

  bool is_parent(std::size_t i) const {
    return std::any_of(dimensions_.begin(), dimensions_.end(),
                       [&](const Dimension& other) { return is_child(other, dimensions_[i]); });
  }
  // Configurations of dimensions from `from` on, after those in `parameters`.
  std::uint64_t completions(std::size_t from, const Json& parameters) const {
    std::uint64_t count = 1;
    for (std::size_t i = from; i < dimensions_.size(); ++i) {
      if (is_active(dimensions_[i], parameters)) count *= *sizes_[i];
    }
    return count;
  }

 private:
  const std::vector<Dimension>& dimensions_;
  std::vector<std::optional<std::uint64_t>> sizes_;
};

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

Json configuration_at(const SearchSpace& space, std::uint64_t index) {
  const Walk walk(space);
  Json parameters = Json::object();
  for (std::size_t i = 0; i < space.dimensions.size(); ++i) {
    const Dimension& dimension = space.dimensions[i];
    if (!is_active(dimension, parameters)) continue;
    if (!walk.is_parent(i)) {
      const std::uint64_t each = walk.completions(i + 1, parameters);
      parameters[dimension.name] = value_number(dimension, index / each);
      index %= each;
      continue;
    }
    for (const Json& value : dimension.choices) {
      parameters[dimension.name] = value;
      const std::uint64_t each = walk.completions(i + 1, parameters);
      if (index < each) break;
      index -= each;
    }
  }
  return parameters;
}

std::optional<std::uint64_t> number_of_configuration(const SearchSpace& space, const Json& given) {
  if (!given.is_object()) return std::nullopt;
  const Walk walk(space);
  Json parameters = Json::object();
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < space.dimensions.size(); ++i) {
    const Dimension& dimension = space.dimensions[i];
    if (!is_active(dimension, parameters)) continue;
    const auto value = given.find(dimension.name);
    if (value == given.end()) return std::nullopt;
    const auto number = number_of_value(dimension, *value);
    if (!number) return std::nullopt;
    if (!walk.is_parent(i)) {
      parameters[dimension.name] = *value;
      index += *number * walk.completions(i + 1, parameters);
      continue;
    }
    for (std::uint64_t before = 0; before < *number; ++before) {
      parameters[dimension.name] = dimension.choices[before];
      index += walk.completions(i + 1, parameters);
    }
    parameters[dimension.name] = *value;
  }
  return index;
}

UsedConfigurations::UsedConfigurations(const SearchSpace& space, const std::vector<Trial>& trials)
    : space_(space), size_(space.size()) {
  if (!size_) return;
  for (const Trial& trial : trials) {
    if (const auto number = number_of_configuration(space, trial.parameters)) used_.insert(*number);
  }
}

bool UsedConfigurations::has(const Json& parameters) const {
  if (!size_) return false;
  const auto number = number_of_configuration(space_, parameters);
  return number && used_.contains(*number);
}

std::optional<Json> UsedConfigurations::next_free(std::uint64_t start) const {
  if (!size_ || all()) return std::nullopt;
  std::uint64_t index = start % *size_;
  while (used_.contains(index)) index = (index + 1) % *size_;
  return configuration_at(space_, index);
}

}  // namespace roost
