#include "sweeps/dimension_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sweeps/normal.h"
#include "sweeps/portable_math.h"

namespace roost {
namespace {

bool is_listed(Expression e) { return e == Expression::kChoice || e == Expression::kRandint; }

double listed_count(const Dimension& d) {
  return d.expression == Expression::kChoice ? static_cast<double>(d.choices.size()) : d.high;
}

// The value before it is rounded to q.
double smooth_value(const Dimension& d, double unit) {
  double x = 0;
  if (is_normal(d.expression)) {
    x = d.low + d.high * normal_quantile(std::clamp(unit, 0x1.0p-54, 1 - 0x1.0p-53));
  } else {
    x = std::min(d.low + unit * (d.high - d.low), d.high);
  }
  return is_log(d.expression) ? portable_exp(x) : x;
}

double smooth_unit(const Dimension& d, double value) {
  if (is_log(d.expression)) {
    if (value <= 0) return 0;
    value = portable_log(value);
  }
  if (is_normal(d.expression)) return normal_cdf((value - d.low) / d.high);
  return std::clamp((value - d.low) / (d.high - d.low), 0.0, 1.0);
}

double steps_at(const Dimension& d, double unit) { return std::nearbyint(smooth_value(d, unit) / d.q); }

// 3 * 0.1 is 0.30000000000000004; people wrote 0.1 and mean 0.3.
Json stepped_value(double steps, double q) {
  const double value = steps * q;
  if (q == std::floor(q) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
  const std::string text = fmt::format("{:.15g}", value);
  double rounded = value;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

std::optional<std::uint64_t> listed_index(const Dimension& d, const Json& value) {
  if (d.expression == Expression::kChoice) {
    const auto found = std::find(d.choices.begin(), d.choices.end(), value);
    if (found == d.choices.end()) return std::nullopt;
    return static_cast<std::uint64_t>(found - d.choices.begin());
  }
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  if (!(number >= 0 && number < d.high) || number != std::floor(number)) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

std::uint64_t listed_at(const Dimension& d, double unit) {
  const double count = listed_count(d);
  return static_cast<std::uint64_t>(std::clamp(std::floor(unit * count), 0.0, count - 1));
}

double listed_middle(const Dimension& d, std::uint64_t index) { return (static_cast<double>(index) + 0.5) / listed_count(d); }

Cell stepped_cell(const Dimension& d, double steps) {
  return {smooth_unit(d, (steps - 0.5) * d.q), smooth_unit(d, (steps + 0.5) * d.q)};
}

}  // namespace

Json value_at(const Dimension& d, double unit) {
  if (is_listed(d.expression)) return value_number(d, listed_at(d, unit));
  if (d.q > 0) return stepped_value(steps_at(d, unit), d.q);
  return smooth_value(d, unit);
}

std::optional<double> unit_of(const Dimension& d, const Json& value) {
  if (is_listed(d.expression)) {
    const auto index = listed_index(d, value);
    if (!index) return std::nullopt;
    return listed_middle(d, *index);
  }
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  if (!std::isfinite(number)) return std::nullopt;
  if (!(d.q > 0)) return smooth_unit(d, number);
  const Cell cell = stepped_cell(d, std::nearbyint(number / d.q));
  return (cell.from + cell.to) / 2;
}

Cell cell_at(const Dimension& d, double unit) {
  if (is_listed(d.expression)) {
    const double index = static_cast<double>(listed_at(d, unit));
    return {index / listed_count(d), (index + 1) / listed_count(d)};
  }
  if (!(d.q > 0)) return {unit, unit};
  return stepped_cell(d, steps_at(d, unit));
}

double cell_middle(const Dimension& d, double unit) {
  if (is_listed(d.expression)) return listed_middle(d, listed_at(d, unit));
  const Cell cell = cell_at(d, unit);
  return (cell.from + cell.to) / 2;
}

bool is_discrete(const Dimension& d) { return is_listed(d.expression) || d.q > 0; }

bool is_categorical(const Dimension& d) {
  if (d.expression != Expression::kChoice) return false;
  if (d.choices.size() < 3) return true;
  for (const Json& option : d.choices) {
    if (!option.is_number()) return true;
  }
  return !std::is_sorted(d.choices.begin(), d.choices.end()) && !std::is_sorted(d.choices.rbegin(), d.choices.rend());
}

std::optional<std::uint64_t> value_count(const Dimension& d) {
  if (is_listed(d.expression)) return static_cast<std::uint64_t>(listed_count(d));
  if (!(d.q > 0) || is_normal(d.expression)) return std::nullopt;
  return static_cast<std::uint64_t>(steps_at(d, 1) - steps_at(d, 0)) + 1;
}

Json value_number(const Dimension& d, std::uint64_t index) {
  if (d.expression == Expression::kChoice) return d.choices[index];
  if (d.expression == Expression::kRandint) return static_cast<std::int64_t>(index);
  return stepped_value(steps_at(d, 0) + static_cast<double>(index), d.q);
}

std::optional<std::uint64_t> number_of_value(const Dimension& d, const Json& value) {
  if (is_listed(d.expression)) return listed_index(d, value);
  const auto count = value_count(d);
  if (!count || !value.is_number()) return std::nullopt;
  const double steps = value.get<double>() / d.q;
  const double index = std::nearbyint(steps) - steps_at(d, 0);
  const bool between = std::abs(steps - std::nearbyint(steps)) > 1e-6 * std::max(1.0, std::abs(steps));
  if (between || !(index >= 0) || index >= static_cast<double>(*count)) return std::nullopt;
  return static_cast<std::uint64_t>(index);
}

bool is_active(const Dimension& d, const Json& parameters) {
  if (!d.when) return true;
  const auto parent = parameters.find(d.when->name);
  if (parent == parameters.end()) return false;
  return std::find(d.when->values.begin(), d.when->values.end(), *parent) != d.when->values.end();
}

Json parameters_at(const SearchSpace& space, const std::vector<double>& units) {
  Json parameters = Json::object();
  for (std::size_t i = 0; i < space.dimensions.size(); ++i) {
    const Dimension& dimension = space.dimensions[i];
    if (is_active(dimension, parameters)) parameters[dimension.name] = value_at(dimension, units[i]);
  }
  return parameters;
}

std::optional<std::vector<double>> units_of(const SearchSpace& space, const Json& parameters) {
  if (!parameters.is_object()) return std::nullopt;
  std::vector<double> units;
  units.reserve(space.dimensions.size());
  for (const Dimension& dimension : space.dimensions) {
    if (!is_active(dimension, parameters)) {
      units.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const auto given = parameters.find(dimension.name);
    if (given == parameters.end()) return std::nullopt;
    const auto unit = unit_of(dimension, *given);
    if (!unit) return std::nullopt;
    units.push_back(*unit);
  }
  return units;
}

}  // namespace roost
