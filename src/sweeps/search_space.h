#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace roost {

// Azure's ten parameter expressions. The arguments of the log forms are natural-log exponents: loguniform is
// exp(uniform(low, high)). A q-form is round(value / q) * q.
enum class Expression {
  kChoice,
  kRandint,  // an integer in [0, high)
  kUniform,
  kQUniform,
  kLogUniform,
  kQLogUniform,
  kNormal,
  kQNormal,
  kLogNormal,
  kQLogNormal,
};
std::string_view expression_name(Expression expression);  // "quniform"
bool is_normal(Expression expression);  // the four with mu and sigma
bool is_log(Expression expression);     // the four whose logarithm is drawn

// The dimension exists only where an earlier one, a choice, has one of these values.
struct Condition {
  std::string name;
  std::vector<Json> values;
};

struct Dimension {
  std::string name;
  Expression expression = Expression::kUniform;
  std::vector<Json> choices;  // all different
  double low = 0;             // mu of the normal forms
  double high = 0;            // their sigma; the upper end of randint
  double q = 0;               // 0: not quantised
  std::optional<Condition> when;
};

struct SearchSpace {
  std::vector<Dimension> dimensions;  // a condition names one that stands before

  // How many configurations there are; none if infinite (or more than 2^63).
  std::optional<std::uint64_t> size() const;
  bool is_conditional() const;
};

// The "space" of a sweep. Errors say which parameter it was and what to change.
Result<SearchSpace> parse_search_space(const Json& space);

}  // namespace roost
