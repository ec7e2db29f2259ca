#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sweeps/trial.h"

namespace roost {

enum class PolicyType { kNone, kBandit, kMedian, kTruncation, kAsha, kHyperband, kPbt };

struct PolicySettings {
  PolicyType type = PolicyType::kNone;
  // bandit, median, truncation: applied at interval n if n % evaluation_interval == 0 and n >= delay_evaluation
  std::int64_t evaluation_interval = 1;
  std::int64_t delay_evaluation = 0;
  std::optional<double> slack_factor;  // bandit: one of the two
  std::optional<double> slack_amount;
  std::int64_t truncation_percentage = 0;
  bool exclude_finished_jobs = false;
  // asha, hyperband
  std::int64_t min_intervals = 1;
  std::int64_t max_intervals = 81;
  std::int64_t eta = 3;
  bool pause = true;  // asha: trials wait at each rung; false: they are stopped there
  // pbt, see pbt.h
  std::int64_t interval = 5;
  double quantile = 0.25;
  double resample_probability = 0.25;
};

// The "policy" of a sweep; null means none.
Result<PolicySettings> parse_policy(const Json& policy);

struct Verdict {
  enum Kind { kGoOn, kStop, kPause };
  Kind kind = kGoOn;
  std::string reason;  // one clause with the numbers behind it; empty for kGoOn
};

// About trial `index`, which has just logged its `interval`-th value (from 1). Pure. Trials of a pbt sweep always go on
// here; pbt.h decides about them.
Verdict judge(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
              std::int64_t interval);

// ASHA with pauses: the number of the paused trial to go on now; none if none has earned it.
std::optional<std::int64_t> next_to_resume(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials);

}  // namespace roost
