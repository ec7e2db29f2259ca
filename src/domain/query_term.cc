#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/query_word.h"

namespace roost {
namespace {

constexpr std::string_view kFields =
    "status, experiment, user, compute, name, id, parent, type, created, started, ended, age, duration, is, tags.KEY, "
    "params.NAME, metrics.NAME";

tl::unexpected<Error> wrong(std::string why) { return fail(ErrorCode::kInvalidArgument, std::move(why)); }

std::optional<Match> match_of(std::string_view sign) {
  if (sign == ":") return Match::kPart;
  if (sign == "=") return Match::kEqual;
  if (sign == "!=") return Match::kNotEqual;
  if (sign == "<") return Match::kLess;
  if (sign == "<=") return Match::kAtMost;
  if (sign == ">") return Match::kGreater;
  if (sign == ">=") return Match::kAtLeast;
  if (sign == "like") return Match::kLike;
  if (sign == "ilike") return Match::kAnyCaseLike;
  return std::nullopt;
}

bool is_order(Match match) { return match >= Match::kLess; }

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || std::isnan(number)) return std::nullopt;
  return number;
}

QueryNode negate_if(bool negate, QueryNode node) {
  if (!negate) return node;
  NoneOf none;
  none.nodes.push_back(std::move(node));
  return QueryNode{std::move(none)};
}

// What MLflow calls them.
std::string status_word(const std::string& wanted) {
  if (wanted == "finished") return "completed";
  if (wanted == "killed") return "canceled";
  return wanted == "scheduled" ? "queued" : wanted;
}

Result<QueryNode> status_term(const QueryWord& word) {
  StatusTerm term;
  for (const auto& value : word.values) {
    const std::string wanted = status_word(lower(value));
    bool known = wanted == "active" || wanted == "ended";
    for (const RunStatus status : all_statuses()) {
      const bool by_kind = wanted == (is_terminal(status) ? "ended" : "active");
      const bool by_name = lower(status_name(status)) == (wanted == "cancelled" ? "canceled" : wanted);
      if (by_kind || by_name) term.any.push_back(status);
      known = known || by_name;
    }
    if (!known) {
      return wrong(fmt::format("there is no status \"{}\"; they are active, ended, queued, running, completed, failed, "
                               "canceled, starting, preparing, provisioning, finalizing, cancelrequested, notresponding",
                               printable(value)));
    }
  }
  return QueryNode{std::move(term)};
}

Result<QueryNode> kind_term(const QueryWord& word) {
  if (word.values.size() == 1) {
    const std::string kind = lower(word.values.front());
    if (kind == "archived") return QueryNode{KindTerm{RunKind::kArchived}};
    if (kind == "any") return QueryNode{KindTerm{RunKind::kAny}};
    if (kind == "child") return QueryNode{KindTerm{RunKind::kChild}};
    if (kind == "top") return QueryNode{KindTerm{RunKind::kTop}};
    if (kind == "deleted") return QueryNode{KindTerm{RunKind::kDeleted}};
  }
  return wrong("a run can be is:archived, is:any (archived or not), is:child, is:top or is:deleted (in the bin)");
}

// "2d", "1h30m", "0.5h": a number and its unit, again and again.
std::optional<Micros> length_in(std::string_view text) {
  double total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || number < 0 || !std::isfinite(number)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return std::nullopt;
    double unit = 0;
    switch (text.front()) {
      case 's': unit = 1; break;
      case 'm': unit = 60; break;
      case 'h': unit = 3600; break;
      case 'd': unit = 86'400; break;
      case 'w': unit = 604'800; break;
      default: return std::nullopt;
    }
    text.remove_prefix(1);
    total += number * unit;
  }
  // A thousand years is as good as for ever, and cannot overflow.
  return static_cast<Micros>(std::min(total, 3.2e10) * kSecond);
}

Result<QueryNode> span_term(const QueryWord& word, RunSpan span) {
  const std::string field = span == RunSpan::kAge ? "age" : "duration";
  const auto match = match_of(word.sign);
  if (!match || !is_order(*match)) return wrong(fmt::format("compare it by < or >: {}<2h", field));
  const auto length = word.values.size() == 1 ? length_in(lower(word.values.front())) : std::nullopt;
  if (!length) return wrong(fmt::format("a length of time has a unit, like {}{}30s, 15m, 2h, 1h30m, 2d or 1w", field, word.sign));
  return QueryNode{SpanTerm{span, *match, *length}};
}

// A date or a time, or MLflow's milliseconds since 1970.
std::optional<Micros> time_in(const std::string& value) {
  if (value.size() >= 11 && value.size() <= 15 && value.find_first_not_of("0123456789") == value.npos) return std::stoll(value) * 1000;
  const auto time = parse_time(value);
  return time ? std::optional(*time) : std::nullopt;
}

// A date stands for the whole day: created>2026-11-01 begins with the 2nd.
Result<QueryNode> moment_term(const QueryWord& word, RunMoment moment, const std::string& field) {
  const auto match = match_of(word.sign);
  const std::string value = word.values.size() == 1 ? word.values.front() : "";
  const auto time = time_in(value);
  if (!match || !time) {
    if (length_in(lower(value))) return wrong(fmt::format("{} is compared with a date; for how long ago write age<{}", field, value));
    return wrong(fmt::format("{} is compared with a date or time, like {}>=2026-11-01 or {}<2026-11-01T12:00:00Z", field, field, field));
  }
  const Micros end = *time + (value.size() <= 10 ? 86'400 * kSecond : 1);
  MomentTerm term{moment, std::numeric_limits<Micros>::min(), std::numeric_limits<Micros>::max()};
  if (*match == Match::kLess) term.before = *time;
  if (*match == Match::kAtMost) term.before = end;
  if (*match == Match::kGreater) term.from = end;
  if (*match == Match::kAtLeast) term.from = *time;
  if (!is_order(*match)) {
    term.from = *time;
    term.before = end;
  }
  return negate_if(*match == Match::kNotEqual, QueryNode{term});
}

Result<QueryNode> label_term(const QueryWord& word, Labelled what, std::string name, std::string_view prefix) {
  LabelTerm term{what, std::move(name), Match::kPresent, "", std::nullopt};
  if (term.name.empty()) return wrong(fmt::format("write a name after {}", prefix));
  if (word.sign.empty()) return QueryNode{std::move(term)};
  const auto match = match_of(word.sign);
  if (!match) return wrong(fmt::format("\"{}\" is no comparison; they are = != < <= > >=", word.sign));
  term.match = *match;
  if (term.match == Match::kPart && what == Labelled::kMetric) term.match = Match::kEqual;
  const bool is_pattern = term.match == Match::kLike || term.match == Match::kAnyCaseLike;
  if (is_pattern && what == Labelled::kMetric) return wrong(fmt::format("a metric is a number: compare it by =, <, > and the like ({}{}<0.3)", prefix, term.name));
  const bool order = is_order(term.match);
  if (order && what == Labelled::kTag) {
    return wrong(fmt::format("a tag is text: compare it by = or !=, or by : for a part of it ({}{}=x)", prefix, term.name));
  }
  std::vector<QueryNode> any;
  for (const auto& value : word.values) {
    term.value = value;
    term.number = number_in(value);
    const bool needs_number = order || what == Labelled::kMetric;
    if (needs_number && !term.number) {
      return wrong(fmt::format("\"{}\" is not a number; write it like {}{}{}0.3", printable(value), prefix, term.name, word.sign));
    }
    any.push_back(QueryNode{term});
  }
  if (any.size() == 1) return std::move(any.front());
  if (order || term.match == Match::kNotEqual) return wrong("a list of values goes with = or : only");
  return QueryNode{AnyOf{std::move(any)}};
}

Result<QueryNode> fact_term(const QueryWord& word, RunFact fact) {
  if (word.sign == "like" || word.sign == "ilike") {
    if (fact != RunFact::kName && fact != RunFact::kId && fact != RunFact::kUser) return wrong("LIKE goes with name, id, user, tags and params");
    return QueryNode{PlainTerm{fact, word.sign == "like" ? Match::kLike : Match::kAnyCaseLike, word.values}};
  }
  FactTerm term{fact, (fact == RunFact::kName || fact == RunFact::kId) && word.sign == ":", {}};
  for (const auto& value : word.values) term.any.push_back(fold_case(value));
  return QueryNode{std::move(term)};
}

Result<QueryNode> field_term(const QueryWord& word, const std::string& field) {
  if (field == "created") return moment_term(word, RunMoment::kCreated, field);
  if (field == "started") return moment_term(word, RunMoment::kStarted, field);
  if (field == "ended") return moment_term(word, RunMoment::kEnded, field);
  if (field == "age") return span_term(word, RunSpan::kAge);
  if (field == "duration") return span_term(word, RunSpan::kDuration);

  const struct {
    std::string_view name;
    RunFact fact;
  } facts[] = {{"experiment", RunFact::kExperiment}, {"user", RunFact::kUser}, {"compute", RunFact::kCompute},
               {"type", RunFact::kType},             {"parent", RunFact::kParent}, {"name", RunFact::kName},
               {"id", RunFact::kId}};
  const auto* const fact = std::find_if(std::begin(facts), std::end(facts), [&](const auto& f) { return f.name == field; });
  const bool is_fact = fact != std::end(facts);
  if (!is_fact && field != "status" && field != "is") {
    const std::string quoted = printable(word.key);
    return wrong(fmt::format("there is no field \"{}\"; write params.{}, metrics.{} or tags.{}, or put the text in quotes. "
                             "Fields are {}", quoted, quoted, quoted, quoted, kFields));
  }
  const bool is_pattern = is_fact && (word.sign == "like" || word.sign == "ilike");
  if (word.sign != ":" && word.sign != "=" && word.sign != "!=" && !is_pattern) {
    return wrong(fmt::format("{} cannot be compared by {}; write {}:{}", field, printable(word.sign), field, printable(word.values.front())));
  }
  ROOST_TRY(QueryNode node, is_fact ? fact_term(word, fact->fact) : field == "is" ? kind_term(word) : status_term(word));
  return negate_if(word.sign == "!=", std::move(node));
}

// What MLflow calls the fields.
std::string attribute_field(const std::string& name) {
  if (name == "run_name" || name == "run name") return "name";
  if (name == "run_id") return "id";
  if (name == "user_id") return "user";
  if (name == "start_time") return "started";
  return name == "end_time" ? "ended" : name;
}

}  // namespace

Result<QueryNode> query_term(const QueryWord& word) {
  if (!word.sign.empty()) {
    if (word.key.empty()) return wrong(fmt::format("a field is missing before {}; fields are {}", printable(word.sign), kFields));
    for (const auto& value : word.values) {
      if (value.empty()) return wrong(fmt::format("a value is missing after {}", printable(word.sign)));
    }
  }
  const auto dot = word.key.find('.');
  if (!word.quoted && dot != std::string::npos) {
    const std::string prefix = lower(word.key.substr(0, dot + 1));
    std::string name = word.key.substr(dot + 1);
    if (prefix == "tags." || prefix == "tag.") return label_term(word, Labelled::kTag, std::move(name), "tags.");
    if (prefix == "params." || prefix == "param.") return label_term(word, Labelled::kParam, std::move(name), "params.");
    if (prefix == "metrics." || prefix == "metric.") return label_term(word, Labelled::kMetric, std::move(name), "metrics.");
    if (!word.sign.empty() && (prefix == "attributes." || prefix == "attribute.")) return field_term(word, attribute_field(lower(name)));
  }
  if (!word.sign.empty()) return field_term(word, attribute_field(lower(word.key)));
  if (word.key.empty()) return wrong("there is nothing between the quotes");
  return QueryNode{TextTerm{fold_case(word.key)}};
}

}  // namespace roost
