#include "mlflow/filter.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/like.h"
#include "mlflow/filter_reader.h"

namespace roost::mlflow {
namespace {

constexpr std::size_t kMostBytes = 100'000;
constexpr std::size_t kMostTerms = 1000;

// How the values of a key are compared.
enum class Compared { kNumber, kText, kId };  // kId is text that may also be one of a list

struct Attribute {
  std::string_view name;
  std::string_view stands_for;
  Compared compared;
};

constexpr Attribute kRunAttributes[] = {{"run_id", "run_id", Compared::kId},
                                        {"run_name", "run_name", Compared::kText},
                                        {"Run name", "run_name", Compared::kText},
                                        {"Run Name", "run_name", Compared::kText},
                                        {"run name", "run_name", Compared::kText},
                                        {"status", "status", Compared::kText},
                                        {"user_id", "user_id", Compared::kText},
                                        {"artifact_uri", "artifact_uri", Compared::kText},
                                        {"start_time", "start_time", Compared::kNumber},
                                        {"end_time", "end_time", Compared::kNumber},
                                        {"created", "start_time", Compared::kNumber},
                                        {"Created", "start_time", Compared::kNumber}};
constexpr Attribute kExperimentAttributes[] = {{"name", "name", Compared::kText},
                                               {"experiment_id", "experiment_id", Compared::kId},
                                               {"creation_time", "creation_time", Compared::kNumber},
                                               {"last_update_time", "last_update_time", Compared::kNumber}};
constexpr Attribute kModelAttributes[] = {{"name", "name", Compared::kId},
                                          {"creation_timestamp", "creation_timestamp", Compared::kNumber},
                                          {"last_updated_timestamp", "last_updated_timestamp", Compared::kNumber}};
constexpr Attribute kVersionAttributes[] = {{"name", "name", Compared::kId},
                                            {"run_id", "run_id", Compared::kId},
                                            {"source_path", "source_path", Compared::kText},
                                            {"version_number", "version_number", Compared::kNumber},
                                            {"creation_timestamp", "creation_timestamp", Compared::kNumber},
                                            {"last_updated_timestamp", "last_updated_timestamp", Compared::kNumber}};
constexpr Attribute kLoggedModelAttributes[] = {{"name", "name", Compared::kId},
                                                {"model_id", "model_id", Compared::kId},
                                                {"model_type", "model_type", Compared::kText},
                                                {"status", "status", Compared::kText},
                                                {"source_run_id", "source_run_id", Compared::kId},
                                                {"creation_timestamp", "creation_timestamp", Compared::kNumber},
                                                {"creation_time", "creation_timestamp", Compared::kNumber},
                                                {"last_updated_timestamp", "last_updated_timestamp", Compared::kNumber},
                                                {"last_updated_time", "last_updated_timestamp", Compared::kNumber}};
constexpr Attribute kDatasetKeys[] = {
    {"name", "name", Compared::kId}, {"digest", "digest", Compared::kId}, {"context", "context", Compared::kId}};

struct Attributes {
  const Attribute* begin;
  const Attribute* end;
};
template <std::size_t N>
constexpr Attributes all(const Attribute (&list)[N]) {
  return {list, list + N};
}

Attributes attributes_of(FilterOf of) {
  switch (of) {
    case FilterOf::kRuns:
      return all(kRunAttributes);
    case FilterOf::kExperiments:
      return all(kExperimentAttributes);
    case FilterOf::kModels:
      return all(kModelAttributes);
    case FilterOf::kVersions:
      return all(kVersionAttributes);
    case FilterOf::kLoggedModels:
      break;
  }
  return all(kLoggedModelAttributes);
}

const Attribute* find_attribute(Attributes list, std::string_view name) {
  const auto* found = std::find_if(list.begin, list.end, [&](const Attribute& a) { return a.name == name; });
  return found == list.end ? nullptr : found;
}

std::string names_of(Attributes list) {
  std::string names;
  for (const Attribute* a = list.begin; a != list.end; ++a) {
    if (a->name == a->stands_for) names += fmt::format("{}{}", names.empty() ? "" : ", ", a->name);
  }
  return names;
}

bool is_any(std::string_view text, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

std::optional<FilterSide> side_of(std::string_view type, FilterOf of) {
  const bool runs = of == FilterOf::kRuns;
  const bool values = runs || of == FilterOf::kLoggedModels;
  if (type.empty()) return FilterSide::kAttribute;
  if (is_any(type, {"tag", "tags"})) return FilterSide::kTag;
  if (values && is_any(type, {"metric", "metrics"})) return FilterSide::kMetric;
  if (values && is_any(type, {"param", "params", "parameter", "parameters"})) return FilterSide::kParam;
  if (runs && is_any(type, {"dataset", "datasets"})) return FilterSide::kDataset;
  if (is_any(type, {"attribute"}) || (values && is_any(type, {"attributes", "attr", "run"})))
    return FilterSide::kAttribute;
  return std::nullopt;
}

struct KnownKey {
  FilterKey key;
  Compared compared = Compared::kText;
};

// What is wrong is said without its place.
Result<KnownKey> known_key(const FilterReader::Identifier& written, FilterOf of) {
  const auto side = side_of(written.type, of);
  if (!side) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("there is no entity type '{}'; write attributes.KEY, tags.KEY{}", printable(written.type),
                            of == FilterOf::kRuns ? ", metrics.KEY, params.KEY or dataset.KEY" : ""));
  }
  if (*side == FilterSide::kMetric) return KnownKey{{*side, written.key}, Compared::kNumber};
  if (*side == FilterSide::kParam || *side == FilterSide::kTag) return KnownKey{{*side, written.key}, Compared::kText};
  const Attributes list = *side == FilterSide::kDataset ? all(kDatasetKeys) : attributes_of(of);
  const Attribute* attribute = find_attribute(list, written.key);
  if (attribute == nullptr) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("there is no key '{}'; valid ones are {}", printable(written.key), names_of(list)));
  }
  return KnownKey{{*side, std::string(attribute->stands_for)}, attribute->compared};
}

bool is_order(FilterSign sign) { return sign >= FilterSign::kLess && sign <= FilterSign::kAtLeast; }
bool is_list(FilterSign sign) { return sign == FilterSign::kIn || sign == FilterSign::kNotIn; }
bool is_null(FilterSign sign) { return sign == FilterSign::kIsNull || sign == FilterSign::kIsNotNull; }
bool is_equality(FilterSign sign) { return sign == FilterSign::kEqual || sign == FilterSign::kNotEqual; }

bool may_compare(const KnownKey& known, FilterSign sign) {
  if (is_null(sign)) return known.key.side == FilterSide::kParam || known.key.side == FilterSide::kTag;
  if (known.compared == Compared::kNumber) return is_equality(sign) || is_order(sign);
  return !is_order(sign) && (known.compared == Compared::kId || !is_list(sign));
}

class FilterParser {
 public:
  FilterParser(std::string_view text, FilterOf of) : reader_(text), of_(of) {}

  Result<std::vector<FilterTerm>> parse() {
    std::vector<FilterTerm> terms;
    (void)reader_.take_word("and");  // MLflow lets one stand before the first term, and after the last
    for (reader_.skip_blanks(); !reader_.at_end(); reader_.skip_blanks()) {
      if (terms.size() == kMostTerms)
        return reader_.error(reader_.position(), fmt::format("a filter has at most {} terms", kMostTerms));
      ROOST_TRY(FilterTerm one, term());
      terms.push_back(std::move(one));
      reader_.skip_blanks();
      if (!reader_.at_end() && !reader_.take_word("and")) {
        return reader_.error(reader_.position(),
                             "terms are joined by AND alone; there is no OR, NOT, BETWEEN, no ( and no ;");
      }
    }
    return terms;
  }

 private:
  Result<FilterTerm> term() {
    const std::size_t at = reader_.position();
    ROOST_TRY(const auto written, reader_.identifier());
    const auto known = known_key(written, of_);
    if (!known) return reader_.error(at, known.error().message);
    const std::size_t sign_at = reader_.position();
    FilterTerm made{known->key, FilterSign::kEqual, std::nullopt, {}};
    ROOST_TRY(made.sign, reader_.sign());
    if (!may_compare(*known, made.sign)) return reader_.error(sign_at, "this key is not compared in this way");
    if (is_null(made.sign)) return made;
    if (is_list(made.sign)) {
      ROOST_TRY(made.texts, list());
      return made;
    }
    const std::size_t value_at = reader_.position();
    ROOST_TRY(FilterReader::Value value, reader_.value());
    if ((known->compared == Compared::kNumber) != value.number.has_value()) {
      return reader_.error(value_at, known->compared == Compared::kNumber ? "a number is expected here, without quotes"
                                                                          : "text is expected here, in quotes");
    }
    made.number = value.number;
    if (!made.number) made.texts.push_back(std::move(value.text));
    return made;
  }

  Result<std::vector<std::string>> list() {
    std::vector<std::string> texts;
    if (!reader_.take('(')) return reader_.error(reader_.position(), "a list is expected here, like ('a', 'b')");
    do {
      const std::size_t at = reader_.position();
      ROOST_TRY(FilterReader::Value value, reader_.value());
      if (value.number) return reader_.error(at, "text is expected here, in quotes");
      texts.push_back(std::move(value.text));
    } while (reader_.take(','));
    if (!reader_.take(')')) return reader_.error(reader_.position(), "the list is not closed; add a )");
    return texts;
  }

  FilterReader reader_;
  const FilterOf of_;
};

bool compare(double value, FilterSign sign, double with) {
  switch (sign) {
    case FilterSign::kEqual:
      return value == with;
    case FilterSign::kNotEqual:
      return value != with;
    case FilterSign::kLess:
      return value < with;
    case FilterSign::kAtMost:
      return value <= with;
    case FilterSign::kGreater:
      return value > with;
    default:
      return value >= with;
  }
}

bool compare(const std::string& value, const FilterTerm& term) {
  const bool is_one = std::find(term.texts.begin(), term.texts.end(), value) != term.texts.end();
  switch (term.sign) {
    case FilterSign::kEqual:
    case FilterSign::kIn:
      return is_one;
    case FilterSign::kLike:
      return is_like(value, term.texts.front());
    case FilterSign::kAnyCaseLike:
      return is_like(fold_case(value), fold_case(term.texts.front()));
    default:
      return !is_one;
  }
}

bool matches(const FilterSubject& subject, const FilterTerm& term) {
  if (term.number) {
    const auto value = subject.number(term.key);
    return value && compare(*value, term.sign, *term.number);
  }
  const auto value = subject.text(term.key);
  if (is_null(term.sign)) return value.has_value() == (term.sign == FilterSign::kIsNotNull);
  // The client adds to every search that a model must be no prompt: one that says nothing of it is none.
  const bool means_absent = term.key.side == FilterSide::kTag && term.key.name == "mlflow.prompt.is_prompt" &&
                            term.sign == FilterSign::kNotEqual;
  return value ? compare(*value, term) : means_absent;
}

}  // namespace

Result<std::vector<FilterTerm>> parse_filter(std::string_view text, FilterOf of) {
  if (text.size() > kMostBytes || !is_utf8(text)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("Invalid filter string: it must be UTF-8 text of at most {} bytes", kMostBytes));
  }
  return FilterParser(text, of).parse();
}

Result<std::vector<OrderTerm>> parse_order(const std::vector<std::string>& texts, FilterOf of) {
  std::vector<OrderTerm> order;
  for (const auto& text : texts) {
    FilterReader reader(text);
    const auto wrong = [&](std::string_view why) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("Invalid order_by clause '{}': {}", printable(text), why));
    };
    const auto written = reader.identifier();
    if (!written) return wrong("it must be a field, and ASC or DESC after it");
    const auto known = known_key(*written, of);
    if (!known) return wrong(known.error().message);
    if (known->key.side == FilterSide::kDataset) return wrong("one cannot order by datasets");
    OrderTerm term{known->key, false};
    if (!reader.take_word("asc")) term.descending = reader.take_word("desc");
    reader.skip_blanks();
    if (!reader.at_end()) return wrong("after the field only ASC or DESC may follow");
    const bool again = std::any_of(order.begin(), order.end(), [&](const OrderTerm& before) {
      return before.key.side == term.key.side && before.key.name == term.key.name;
    });
    if (again) return wrong("the field is there already");
    order.push_back(std::move(term));
  }
  if (order.size() > 20) return fail(ErrorCode::kInvalidArgument, "Invalid order_by: at most 20 fields");
  return order;
}

bool matches(const FilterSubject& subject, const std::vector<FilterTerm>& filter) {
  return std::all_of(filter.begin(), filter.end(), [&](const FilterTerm& term) { return matches(subject, term); });
}

std::optional<bool> comes_before(const FilterSubject& a, const FilterSubject& b, const std::vector<OrderTerm>& order) {
  for (const OrderTerm& term : order) {
    if (const auto x = a.number(term.key), y = b.number(term.key); x || y) {
      if (x.has_value() != y.has_value()) return x.has_value();
      if (std::isnan(*x) != std::isnan(*y)) return std::isnan(*y);
      if (*x != *y && !std::isnan(*x)) return (*x < *y) != term.descending;
      continue;
    }
    const auto x = a.text(term.key);
    const auto y = b.text(term.key);
    if (x.has_value() != y.has_value()) return x.has_value();
    if (x && *x != *y) return (*x < *y) != term.descending;
  }
  return std::nullopt;
}

}  // namespace roost::mlflow
