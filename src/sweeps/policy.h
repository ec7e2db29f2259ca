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
  bool pause = true;  // trials wait at each rung; false: they are stopped there, which parse_policy sets for hyperband
  // pbt, see pbt.h
  std::int64_t interval = 5;
  double quantile = 0.25;
  double resample_probability = 0.25;
};

// The "policy" of a sweep; null means none. Errors say what to change.
Result<PolicySettings> parse_policy(const Json& policy);

// Whether trials may be paused and resumed.
inline bool pauses(const PolicySettings& policy) {
  return policy.pause && (policy.type == PolicyType::kAsha || policy.type == PolicyType::kHyperband);
}

struct Verdict {
  enum Kind { kGoOn, kStop, kPause };
  Kind kind = kGoOn;
  std::string reason;  // one clause with the numbers behind it; empty for kGoOn
};

// About trial `index`, which has logged its `interval`-th value (from 1). Pure. `trials` has all of the sweep, and before
// them those of earlier sweeps, which have ended and have negative numbers: they are compared with, never judged. Trials of a
// pbt sweep always go on here; pbt.h decides about them.
// A trial that is to pause may log more before it has ended. All that it has logged by then counts as judged when it is
// resumed; asking again about an interval at which it was paused would pause it again.
Verdict judge(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
              std::int64_t interval);

// The number of the paused trial to resume now; none if none has earned it: then a new one may be drawn. To be asked whenever
// there is room for one more, with the last one that it named no longer kPaused. `draws_more` is false when the sweep
// draws no more trials; see asha.h for what is different then.
std::optional<std::int64_t> next_to_resume(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials,
                                           bool draws_more = true);
// What becomes of the paused trial `index` when the sweep draws no more, nothing runs and next_to_resume() names nobody: it is
// stopped, with the reason.
Verdict judge_rest(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index);

// At which interval the policy looks next at a trial that has logged so many values; none: never. `number` is the trial's,
// by which hyperband tells its bracket.
std::optional<std::int64_t> next_check(const PolicySettings& policy, std::int64_t intervals_so_far, std::int64_t number = 0);

}  // namespace roost
