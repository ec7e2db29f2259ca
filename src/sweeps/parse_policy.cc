#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "sweeps/policy.h"

namespace roost {
namespace {

constexpr std::int64_t kMany = 1'000'000'000;

struct Kind {
  const char* name;
  PolicyType type;
  std::vector<std::string> settings;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"bandit", PolicyType::kBandit, {"evaluation_interval", "delay_evaluation", "slack_factor", "slack_amount"}},
      {"median", PolicyType::kMedian, {"evaluation_interval", "delay_evaluation"}},
      {"truncation",
       PolicyType::kTruncation,
       {"truncation_percentage", "evaluation_interval", "delay_evaluation", "exclude_finished_jobs"}},
      {"asha", PolicyType::kAsha, {"min_intervals", "max_intervals", "eta", "pause"}},
      {"hyperband", PolicyType::kHyperband, {"min_intervals", "max_intervals", "eta", "pause"}},
      {"pbt", PolicyType::kPbt, {"interval", "quantile", "resample_probability"}},
      {"none", PolicyType::kNone, {}}};
  return all;
}

std::string listed(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "none" : words.front();
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

const Kind* find_kind(JsonFields& fields) {
  const std::string type = fields.required_string("type");
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) {
    if (type == kind.name) return &kind;
    names.emplace_back(kind.name);
  }
  fields.reject(fmt::format("no policy is called \"{}\"; there are {}", printable(type), listed(names)));
  return nullptr;
}

// A setting of another policy, or a name misspelt, would be without effect.
void refuse_others(JsonFields& fields, const Json& policy, const Kind& kind) {
  for (const auto& item : policy.items()) {
    const bool is_known = std::find(kind.settings.begin(), kind.settings.end(), item.key()) != kind.settings.end();
    if (is_known || item.key() == "type") continue;
    fields.reject(fmt::format("the policy \"{}\" has no setting \"{}\"; it has {}", kind.name,
                              printable(item.key()), listed(kind.settings)));
  }
}

std::optional<double> read_number(JsonFields& fields, const Json& policy, const char* name, double low, double high) {
  if (!fields.has(name)) return std::nullopt;
  const Json& given = member(policy, name);
  const double value = given.is_number() ? given.get<double>() : std::nan("");
  if (value >= low && value <= high && std::isfinite(value)) return value;
  const std::string range = std::isfinite(high) ? fmt::format("from {} to {}", low, high) : fmt::format("of at least {}", low);
  fields.reject(fmt::format("\"{}\" in \"policy\" must be a number {}", name, range));
  return std::nullopt;
}

void read_bandit(JsonFields& fields, const Json& policy, PolicySettings& out) {
  out.slack_factor = read_number(fields, policy, "slack_factor", 0, HUGE_VAL);
  out.slack_amount = read_number(fields, policy, "slack_amount", 0, HUGE_VAL);
  if (fields.has("slack_factor") != fields.has("slack_amount")) return;
  fields.reject(fmt::format("a bandit policy needs one of \"slack_factor\" (a share of the best, like 0.1) and "
                            "\"slack_amount\" (a distance from it); \"policy\" has {}",
                            fields.has("slack_factor") ? "both" : "neither"));
}

void read_truncation(JsonFields& fields, PolicySettings& out) {
  if (!fields.has("truncation_percentage")) {
    fields.reject("a truncation policy needs \"truncation_percentage\", how many of a hundred are stopped, like 20");
  }
  out.truncation_percentage = fields.integer("truncation_percentage", 1, 1, 99);
  out.exclude_finished_jobs = fields.boolean("exclude_finished_jobs", false);
}

void read_rungs(JsonFields& fields, PolicySettings& out) {
  out.min_intervals = fields.integer("min_intervals", 1, 1, kMany);
  out.max_intervals = fields.integer("max_intervals", 81, 1, kMany);
  out.eta = fields.integer("eta", 3, 2, 1000);
  out.pause = fields.boolean("pause", out.type == PolicyType::kAsha);
  const std::int64_t least = out.min_intervals * out.eta;
  if (out.max_intervals >= least) return;
  fields.reject(fmt::format("\"max_intervals\" in \"policy\" is {}; with \"min_intervals\" {} and \"eta\" {} it must be at "
                            "least {}, else no trial is ever compared",
                            out.max_intervals, out.min_intervals, out.eta, least));
}

void read_pbt(JsonFields& fields, const Json& policy, PolicySettings& out) {
  out.interval = fields.integer("interval", 5, 1, kMany);
  out.quantile = read_number(fields, policy, "quantile", 0.01, 0.5).value_or(0.25);
  out.resample_probability = read_number(fields, policy, "resample_probability", 0, 1).value_or(0.25);
}

void read_settings(JsonFields& fields, const Json& policy, PolicySettings& out) {
  switch (out.type) {
    case PolicyType::kNone: return;
    case PolicyType::kAsha:
    case PolicyType::kHyperband: return read_rungs(fields, out);
    case PolicyType::kPbt: return read_pbt(fields, policy, out);
    case PolicyType::kBandit: read_bandit(fields, policy, out); break;
    case PolicyType::kTruncation: read_truncation(fields, out); break;
    case PolicyType::kMedian: break;
  }
  out.evaluation_interval = fields.integer("evaluation_interval", 1, 1, kMany);
  out.delay_evaluation = fields.integer("delay_evaluation", 0, 0, kMany);
}

}  // namespace

Result<PolicySettings> parse_policy(const Json& policy) {
  PolicySettings out;
  if (policy.is_null()) return out;
  JsonFields fields(policy, "\"policy\"");
  if (const Kind* kind = find_kind(fields)) {
    out.type = kind->type;
    refuse_others(fields, policy, *kind);
    read_settings(fields, policy, out);
  }
  ROOST_CHECK(fields.done());
  return out;
}

}  // namespace roost
