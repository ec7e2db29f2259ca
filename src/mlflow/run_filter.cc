#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "domain/like.h"
#include "mlflow/filter.h"
#include "mlflow/wire_status.h"

namespace roost::mlflow {
namespace {

QueryNode none_of(QueryNode node) {
  NoneOf none;
  none.nodes.push_back(std::move(node));
  return QueryNode{std::move(none)};
}

QueryNode any_of(QueryNode one, QueryNode other) {
  AnyOf any;
  any.nodes.push_back(std::move(one));
  any.nodes.push_back(std::move(other));
  return QueryNode{std::move(any)};
}

bool is_negated(FilterSign sign) { return sign == FilterSign::kNotEqual || sign == FilterSign::kNotIn; }

Match text_match(FilterSign sign) {
  if (sign == FilterSign::kLike) return Match::kLike;
  return sign == FilterSign::kAnyCaseLike ? Match::kAnyCaseLike : Match::kEqual;
}

Match number_match(FilterSign sign) {
  switch (sign) {
    case FilterSign::kNotEqual:
      return Match::kNotEqual;
    case FilterSign::kLess:
      return Match::kLess;
    case FilterSign::kAtMost:
      return Match::kAtMost;
    case FilterSign::kGreater:
      return Match::kGreater;
    case FilterSign::kAtLeast:
      return Match::kAtLeast;
    default:
      return Match::kEqual;
  }
}

QueryNode plain(RunFact fact, const FilterTerm& term) {
  QueryNode node{PlainTerm{fact, text_match(term.sign), term.texts}};
  return is_negated(term.sign) ? none_of(std::move(node)) : node;
}

QueryNode label(Labelled what, const FilterTerm& term) {
  LabelTerm label{what, term.key.name, Match::kPresent, "", std::nullopt};
  if (term.sign == FilterSign::kIsNotNull) return QueryNode{std::move(label)};
  if (term.sign == FilterSign::kIsNull) return none_of(QueryNode{std::move(label)});
  label.match = what == Labelled::kMetric ? number_match(term.sign)
                : is_negated(term.sign)   ? Match::kNotEqual
                                          : text_match(term.sign);
  label.number = term.number;
  if (!term.texts.empty()) label.value = term.texts.front();
  return QueryNode{std::move(label)};
}

// The tags that say the same as something that every run has here.
QueryNode tag(const FilterTerm& term) {
  const bool asks_presence = term.sign == FilterSign::kIsNull || term.sign == FilterSign::kIsNotNull;
  if (term.key.name == "mlflow.runName") {
    if (asks_presence) return term.sign == FilterSign::kIsNotNull ? QueryNode{AllOf{}} : none_of(QueryNode{AllOf{}});
    return plain(RunFact::kName, term);
  }
  if (term.key.name != "mlflow.parentRunId") return label(Labelled::kTag, term);
  if (term.sign == FilterSign::kIsNotNull)
    return any_of(label(Labelled::kTag, term), QueryNode{KindTerm{RunKind::kChild}});
  if (term.sign == FilterSign::kIsNull) {
    FilterTerm present = term;
    present.sign = FilterSign::kIsNotNull;
    return none_of(any_of(label(Labelled::kTag, present), QueryNode{KindTerm{RunKind::kChild}}));
  }
  if (!is_negated(term.sign)) return any_of(label(Labelled::kTag, term), plain(RunFact::kParent, term));
  // Not that one, but another.
  FilterTerm same = term;
  same.sign = FilterSign::kEqual;
  FilterTerm present = term;
  present.sign = FilterSign::kIsNotNull;
  AllOf both;
  both.nodes.push_back(tag(present));
  both.nodes.push_back(none_of(tag(same)));
  return QueryNode{std::move(both)};
}

QueryNode status(const FilterTerm& term) {
  StatusTerm found;
  for (const RunStatus status : all_statuses()) {
    const std::string name(wire_status_name(wire_status(status)));
    const bool is_one = std::any_of(term.texts.begin(), term.texts.end(), [&](const std::string& text) {
      if (term.sign == FilterSign::kLike) return is_like(name, text);
      if (term.sign == FilterSign::kAnyCaseLike) return is_like(fold_case(name), fold_case(text));
      return name == text;
    });
    if (is_one != is_negated(term.sign)) found.any.push_back(status);
  }
  return QueryNode{std::move(found)};
}

// Times are compared in whole milliseconds.
QueryNode moment(RunMoment which, const FilterTerm& term) {
  constexpr Micros kFirst = std::numeric_limits<Micros>::min();
  constexpr Micros kLast = std::numeric_limits<Micros>::max();
  const auto micros = [](double ms) {
    if (ms <= -9e15) return kFirst;
    if (ms >= 9e15) return kLast;
    return static_cast<Micros>(ms) * 1000;
  };
  const double floor = std::floor(*term.number);
  const double ceil = std::ceil(*term.number);
  MomentTerm found{which, kFirst, kLast};
  switch (term.sign) {
    case FilterSign::kLess:
      found.before = micros(ceil);
      break;
    case FilterSign::kAtMost:
      found.before = micros(floor + 1);
      break;
    case FilterSign::kGreater:
      found.from = micros(floor + 1);
      break;
    case FilterSign::kAtLeast:
      found.from = micros(ceil);
      break;
    default:
      found.from = micros(ceil);
      found.before = micros(floor + 1);  // nothing is equal to half a millisecond
  }
  if (term.sign != FilterSign::kNotEqual) return QueryNode{found};
  AllOf other;
  other.nodes.push_back(QueryNode{MomentTerm{which, kFirst, kLast}});
  other.nodes.push_back(none_of(QueryNode{found}));
  return QueryNode{std::move(other)};
}

QueryNode attribute(const FilterTerm& term) {
  const std::string& name = term.key.name;
  if (name == "start_time") return moment(RunMoment::kStarted, term);
  if (name == "end_time") return moment(RunMoment::kEnded, term);
  if (name == "status") return status(term);
  if (name == "run_name") return plain(RunFact::kName, term);
  if (name == "user_id") return plain(RunFact::kUser, term);
  if (name == "artifact_uri") return plain(RunFact::kArtifactRoot, term);
  return plain(RunFact::kId, term);
}

QueryNode dataset(const FilterTerm& term) {
  const DatasetPart part = term.key.name == "name"     ? DatasetPart::kName
                           : term.key.name == "digest" ? DatasetPart::kDigest
                                                       : DatasetPart::kContext;
  return QueryNode{DatasetTerm{part, text_match(term.sign), term.texts, is_negated(term.sign)}};
}

}  // namespace

RunQuery run_query(const std::vector<FilterTerm>& filter) {
  AllOf all;
  for (const FilterTerm& term : filter) {
    switch (term.key.side) {
      case FilterSide::kAttribute:
        all.nodes.push_back(attribute(term));
        break;
      case FilterSide::kMetric:
        all.nodes.push_back(label(Labelled::kMetric, term));
        break;
      case FilterSide::kParam:
        all.nodes.push_back(label(Labelled::kParam, term));
        break;
      case FilterSide::kTag:
        all.nodes.push_back(tag(term));
        break;
      case FilterSide::kDataset:
        all.nodes.push_back(dataset(term));
        break;
    }
  }
  RunQuery query;
  query.root = QueryNode{std::move(all)};
  query.archived_too = true;  // MLflow knows no archive
  return query;
}

}  // namespace roost::mlflow
