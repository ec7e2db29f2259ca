#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/run_query.h"

namespace roost::mlflow {

// The filters and orders of MLflow's searches: `[type.]key op value`, joined by AND.

enum class FilterSide { kAttribute, kMetric, kParam, kTag, kDataset };

struct FilterKey {
  FilterSide side = FilterSide::kAttribute;
  std::string name;
};

enum class FilterSign {
  kEqual,
  kNotEqual,
  kLess,
  kAtMost,
  kGreater,
  kAtLeast,
  kLike,
  kAnyCaseLike,
  kIn,
  kNotIn,
  kIsNull,
  kIsNotNull
};

// Exactly what the sign takes is set: a number, one text, some texts, or nothing.
struct FilterTerm {
  FilterKey key;
  FilterSign sign = FilterSign::kEqual;
  std::optional<double> number;
  std::vector<std::string> texts;
};

// What a search is of: it says which keys there are and how each is compared.
enum class FilterOf { kRuns, kExperiments, kModels, kVersions, kLoggedModels };

// At most 100,000 bytes and 1000 terms. Everything a term may get wrong is refused here, with the place.
Result<std::vector<FilterTerm>> parse_filter(std::string_view text, FilterOf of);

struct OrderTerm {
  FilterKey key;
  bool descending = false;
};
// One `field [ASC|DESC]` each; the same field twice is refused.
Result<std::vector<OrderTerm>> parse_order(const std::vector<std::string>& texts, FilterOf of);

// The same as a query of the run table.
RunQuery run_query(const std::vector<FilterTerm>& filter);

// What a filter of anything but runs looks at. Names are those of the attributes; none where there is no such value.
class FilterSubject {
 public:
  virtual ~FilterSubject() = default;
  virtual std::optional<std::string> text(const FilterKey& key) const = 0;
  virtual std::optional<double> number(const FilterKey& key) const = 0;
};
bool matches(const FilterSubject& subject, const std::vector<FilterTerm>& filter);
// Whether `a` comes before `b`: values in order, then what has none. Neither is decided where both are equal.
std::optional<bool> comes_before(const FilterSubject& a, const FilterSubject& b, const std::vector<OrderTerm>& order);

}  // namespace roost::mlflow
