#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "sweeps/search_space.h"

namespace roost {
namespace {

constexpr double kMostIntegers = 9007199254740992.0;  // 2^53: beyond, doubles skip some
constexpr std::size_t kMostDimensions = 256;
constexpr std::size_t kMostChoices = 10000;

struct Form {
  const char* name;
  Expression expression;
  const char* arguments;
  std::size_t count;
};
constexpr Form kForms[] = {
    {"choice", Expression::kChoice, "[option, ...]", 0},
    {"randint", Expression::kRandint, "[upper]", 1},
    {"uniform", Expression::kUniform, "[min, max]", 2},
    {"quniform", Expression::kQUniform, "[min, max, q]", 3},
    {"loguniform", Expression::kLogUniform, "[min, max]", 2},
    {"qloguniform", Expression::kQLogUniform, "[min, max, q]", 3},
    {"normal", Expression::kNormal, "[mu, sigma]", 2},
    {"qnormal", Expression::kQNormal, "[mu, sigma, q]", 3},
    {"lognormal", Expression::kLogNormal, "[mu, sigma]", 2},
    {"qlognormal", Expression::kQLogNormal, "[mu, sigma, q]", 3},
};

tl::unexpected<Error> wrong(const Dimension& dimension, std::string what) {
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("parameter \"{}\": {}", printable(dimension.name), what));
}

Status read_choices(Dimension& dimension, const Json& values) {
  if (values.empty()) return wrong(dimension, "choice needs at least one option");
  if (values.size() > kMostChoices) {
    return wrong(dimension, fmt::format("choice has {} options; at most {} are possible", values.size(), kMostChoices));
  }
  for (const Json& value : values) {
    if (value.is_null()) return wrong(dimension, "an option of choice is null; give it a value");
    if (std::find(dimension.choices.begin(), dimension.choices.end(), value) != dimension.choices.end()) {
      return wrong(dimension, fmt::format("choice has {} twice; leave one out", printable(to_text(value))));
    }
    dimension.choices.push_back(value);
  }
  return {};
}

Status check_numbers(const Dimension& dimension) {
  const std::string_view name = expression_name(dimension.expression);
  if (dimension.expression == Expression::kRandint) {
    if (dimension.high >= 1 && dimension.high <= kMostIntegers && dimension.high == std::floor(dimension.high)) return {};
    return wrong(dimension, fmt::format("upper of randint is {}; it must be a whole number from 1 on", dimension.high));
  }
  if (is_normal(dimension.expression)) {
    if (!(dimension.high > 0)) {
      return wrong(dimension, fmt::format("sigma of {} is {}; it must be greater than 0", name, dimension.high));
    }
  } else if (!(dimension.low < dimension.high)) {
    return wrong(dimension, fmt::format("min of {} is {} and max is {}; min must be the smaller one", name, dimension.low,
                                        dimension.high));
  }
  if (!std::isfinite(dimension.high - dimension.low) || !std::isfinite(std::abs(dimension.low) + 9 * dimension.high)) {
    return wrong(dimension, fmt::format("{} and {} of {} are further apart than numbers go; bring them closer", dimension.low,
                                        dimension.high, name));
  }
  const double largest = is_normal(dimension.expression) ? dimension.low + 9 * dimension.high : dimension.high;
  if (is_log(dimension.expression) && largest > 700) {
    return wrong(dimension, fmt::format("exp({}) is too large for a number; {} takes natural logarithms, so give log(value)",
                                        largest, name));
  }
  return {};
}

Status check_q(const Dimension& dimension) {
  if (!(dimension.q > 0)) {
    return wrong(dimension, fmt::format("q of {} is {}; it must be greater than 0",
                                        expression_name(dimension.expression), dimension.q));
  }
  const bool normal = is_normal(dimension.expression);
  const double begin = normal ? dimension.low - 9 * dimension.high : dimension.low;
  const double end = normal ? dimension.low + 9 * dimension.high : dimension.high;
  const double largest = is_log(dimension.expression) ? std::exp(end) : std::max(std::abs(begin), std::abs(end));
  // A normal distribution has hardly anything in its far ends, so that only what is no number at all is too far.
  if (largest / dimension.q > (normal ? 1e300 : kMostIntegers)) {
    return wrong(dimension, fmt::format("q is {}, too small for values up to {}", dimension.q, largest));
  }
  return {};
}

Status read_arguments(Dimension& dimension, const Form& form, const Json& values) {
  if (form.expression == Expression::kChoice) return read_choices(dimension, values);
  bool numbers = values.size() == form.count;
  for (const Json& value : values) numbers = numbers && value.is_number() && std::isfinite(value.get<double>());
  if (!numbers) {
    return wrong(dimension, fmt::format("\"values\" of {} must be {}, all numbers", form.name, form.arguments));
  }
  if (form.count == 1) {
    dimension.high = values[0].get<double>();
  } else {
    dimension.low = values[0].get<double>();
    dimension.high = values[1].get<double>();
  }
  ROOST_CHECK(check_numbers(dimension));
  if (form.count < 3) return {};
  dimension.q = values[2].get<double>();
  return check_q(dimension);
}

Status read_condition(Dimension& dimension, const Json& body, const SearchSpace& before) {
  JsonFields fields(body, fmt::format("\"when\" of parameter \"{}\"", printable(dimension.name)));
  Condition when;
  when.name = fields.required_string("name");
  const Json values = fields.array("values");
  ROOST_CHECK(fields.done());
  const auto parent = std::find_if(before.dimensions.begin(), before.dimensions.end(),
                                   [&](const Dimension& other) { return other.name == when.name; });
  if (parent == before.dimensions.end()) {
    return wrong(dimension, fmt::format("\"when\" names \"{}\", which is not among the parameters before it",
                                        printable(when.name)));
  }
  if (parent->expression != Expression::kChoice) {
    return wrong(dimension, fmt::format("\"when\" names \"{}\", which is {}; it must be a choice", printable(when.name),
                                        expression_name(parent->expression)));
  }
  if (values.empty()) return wrong(dimension, "\"when\" has no values, so the parameter would never exist");
  for (const Json& value : values) {
    if (std::find(parent->choices.begin(), parent->choices.end(), value) == parent->choices.end()) {
      return wrong(dimension, fmt::format("\"when\" has the value {}, which \"{}\" does not offer",
                                          printable(to_text(value)), printable(when.name)));
    }
    when.values.push_back(value);
  }
  dimension.when = std::move(when);
  return {};
}

Result<Dimension> read_dimension(const Json& body, const SearchSpace& before) {
  JsonFields fields(body, "a parameter of \"space\"");
  Dimension dimension;
  dimension.name = fields.required_string("name");
  const std::string expression = fields.required_string("expression");
  const Json values = fields.array("values");
  const Json when = fields.object_as_given("when");
  const bool conditional = fields.has("when");
  ROOST_CHECK(fields.done());
  if (dimension.name.find_first_not_of('-') == std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "a parameter of \"space\" has an empty name");
  }
  for (const Dimension& other : before.dimensions) {
    if (other.name == dimension.name) return wrong(dimension, "it is in the space twice; leave one out");
  }
  const auto form = std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) { return expression == f.name; });
  if (form == std::end(kForms)) {
    return wrong(dimension, fmt::format("no expression is called \"{}\"; there are choice, randint, uniform, quniform, "
                                        "loguniform, qloguniform, normal, qnormal, lognormal and qlognormal",
                                        printable(expression)));
  }
  dimension.expression = form->expression;
  ROOST_CHECK(read_arguments(dimension, *form, values));
  if (conditional) ROOST_CHECK(read_condition(dimension, when, before));
  return dimension;
}

}  // namespace

bool is_normal(Expression expression) {
  return expression == Expression::kNormal || expression == Expression::kQNormal || expression == Expression::kLogNormal ||
         expression == Expression::kQLogNormal;
}
bool is_log(Expression expression) {
  return expression == Expression::kLogUniform || expression == Expression::kQLogUniform || expression == Expression::kLogNormal ||
         expression == Expression::kQLogNormal;
}

std::string_view expression_name(Expression expression) {
  for (const Form& form : kForms) {
    if (form.expression == expression) return form.name;
  }
  die("every expression has a row in kForms");
}

Result<SearchSpace> parse_search_space(const Json& space) {
  if (!space.is_array() || space.empty()) {
    return fail(ErrorCode::kInvalidArgument, "\"space\" must be a list of at least one parameter");
  }
  if (space.size() > kMostDimensions) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"space\" has {} parameters; at most {} are possible", space.size(), kMostDimensions));
  }
  SearchSpace out;
  for (const Json& body : space) {
    ROOST_TRY(Dimension dimension, read_dimension(body, out));
    out.dimensions.push_back(std::move(dimension));
  }
  return out;
}

}  // namespace roost
