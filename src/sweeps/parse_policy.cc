#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "sweeps/policy.h"

namespace roost {
namespace {

constexpr std::int64_t kMany = 1'000'000'000;

// A number in (low, high], or in [low, high] if `closed`.
std::optional<double> read_number(JsonFields& fields, const Json& policy, const char* name, double low, double high,
                                  bool closed) {
  if (!fields.has(name)) return std::nullopt;
  const Json& given = member(policy, name);
  const double value = given.is_number() ? given.get<double>() : std::nan("");
  if ((closed ? value >= low : value > low) && value <= high && std::isfinite(value)) return value;
  const std::string upper = std::isfinite(high) ? fmt::format(" and at most {}", high) : "";
  fields.reject(fmt::format("\"{}\" in \"policy\" must be a number {} {}{}", name, closed ? "of at least" : "greater than", low, upper));
  return std::nullopt;
}

void read_when(JsonFields& fields, PolicySettings& out) {
  out.evaluation_interval = fields.integer("evaluation_interval", 1, 1, kMany);
  out.delay_evaluation = fields.integer("delay_evaluation", 0, 0, kMany);
}

void read_bandit(JsonFields& fields, const Json& policy, PolicySettings& out) {
  read_when(fields, out);
  out.slack_factor = read_number(fields, policy, "slack_factor", 0, HUGE_VAL, true);
  out.slack_amount = read_number(fields, policy, "slack_amount", 0, HUGE_VAL, true);
  if (fields.has("slack_factor") == fields.has("slack_amount")) {
    fields.reject("a bandit policy needs either \"slack_factor\" or \"slack_amount\"");
  }
}

void read_truncation(JsonFields& fields, PolicySettings& out) {
  read_when(fields, out);
  if (!fields.has("truncation_percentage")) fields.reject("a truncation policy needs \"truncation_percentage\"");
  out.truncation_percentage = fields.integer("truncation_percentage", 1, 1, 99);
  out.exclude_finished_jobs = fields.boolean("exclude_finished_jobs", false);
}

void read_rungs(JsonFields& fields, PolicySettings& out) {
  out.min_intervals = fields.integer("min_intervals", 1, 1, kMany);
  out.max_intervals = fields.integer("max_intervals", 81, 1, kMany);
  out.eta = fields.integer("eta", 3, 2, 1000);
  if (out.max_intervals < out.min_intervals * out.eta) {
    fields.reject(fmt::format("\"max_intervals\" is {}; with \"min_intervals\" {} and \"eta\" {} it must be at least {}, else "
                              "no trial is ever compared",
                              out.max_intervals, out.min_intervals, out.eta, out.min_intervals * out.eta));
  }
}

void read_pbt(JsonFields& fields, const Json& policy, PolicySettings& out) {
  out.interval = fields.integer("interval", 5, 1, kMany);
  out.quantile = read_number(fields, policy, "quantile", 0, 0.5, false).value_or(0.25);
  out.resample_probability = read_number(fields, policy, "resample_probability", 0, 1, true).value_or(0.25);
}

}  // namespace

Result<PolicySettings> parse_policy(const Json& policy) {
  PolicySettings out;
  if (policy.is_null()) return out;
  JsonFields fields(policy, "\"policy\"");
  const std::string type = fields.required_string("type");
  if (type == "bandit") {
    out.type = PolicyType::kBandit;
    read_bandit(fields, policy, out);
  } else if (type == "median") {
    out.type = PolicyType::kMedian;
    read_when(fields, out);
  } else if (type == "truncation") {
    out.type = PolicyType::kTruncation;
    read_truncation(fields, out);
  } else if (type == "asha") {
    out.type = PolicyType::kAsha;
    read_rungs(fields, out);
    out.pause = fields.boolean("pause", true);
  } else if (type == "hyperband") {
    out.type = PolicyType::kHyperband;
    read_rungs(fields, out);
  } else if (type == "pbt") {
    out.type = PolicyType::kPbt;
    read_pbt(fields, policy, out);
  } else {
    fields.reject(fmt::format("no policy is called \"{}\"; there are bandit, median, truncation, asha, hyperband and pbt",
                              printable(type)));
  }
  ROOST_CHECK(fields.done());
  return out;
}

}  // namespace roost
