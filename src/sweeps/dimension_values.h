#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sweeps/search_space.h"

namespace roost {

// A dimension seen as the interval [0, 1]: its cumulative distribution. Uniform numbers in it make values of the
// wanted distribution; a discrete value is a cell of the interval as wide as it is likely.

struct Cell {
  double from = 0;
  double to = 0;
};

Json value_at(const Dimension& dimension, double unit);
// Where a value lies, the middle of its cell if it is a discrete one; none if the dimension cannot have it. Numbers
// beyond the ends count as the end.
std::optional<double> unit_of(const Dimension& dimension, const Json& value);
// Of a discrete dimension, the cell in which `unit` lies.
Cell cell_at(const Dimension& dimension, double unit);
// Its middle, to the last bit what unit_of() gives for the value there.
double cell_middle(const Dimension& dimension, double unit);

bool is_discrete(const Dimension& dimension);
// Discrete dimensions whose neighbouring cells are not alike: choices, unless they are numbers in rising or falling order.
bool is_categorical(const Dimension& dimension);
// How many values there are, if they can be counted: choice, randint, quniform, qloguniform.
std::optional<std::uint64_t> value_count(const Dimension& dimension);
Json value_number(const Dimension& dimension, std::uint64_t index);  // in rising order, choices as they stand
std::optional<std::uint64_t> number_of_value(const Dimension& dimension, const Json& value);

// A configuration is a number in [0, 1] for each dimension. In parameters, those whose condition is not met are absent.
Json parameters_at(const SearchSpace& space, const std::vector<double>& units);
// NaN for absent ones; none if the parameters do not belong to the space.
std::optional<std::vector<double>> units_of(const SearchSpace& space, const Json& parameters);
bool is_active(const Dimension& dimension, const Json& parameters);

}  // namespace roost
