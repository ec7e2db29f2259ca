#include "sweeps/policy.h"

#include "sweeps/asha.h"
#include "sweeps/bandit.h"
#include "sweeps/hyperband.h"
#include "sweeps/median.h"
#include "sweeps/truncation.h"

namespace roost {

Verdict judge(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
              std::int64_t interval) {
  if (policy.type == PolicyType::kAsha) return judge_asha(policy, goal, trials, index, interval);
  if (policy.type == PolicyType::kHyperband) return judge_hyperband(policy, goal, trials, index, interval);
  if (interval % policy.evaluation_interval != 0 || interval < policy.delay_evaluation) return {};
  switch (policy.type) {
    case PolicyType::kBandit: return judge_bandit(policy, goal, trials, index, interval);
    case PolicyType::kMedian: return judge_median(goal, trials, index, interval);
    case PolicyType::kTruncation: return judge_truncation(policy, goal, trials, index, interval);
    default: return {};
  }
}

std::optional<std::int64_t> next_to_resume(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials) {
  if (policy.type != PolicyType::kAsha || !policy.pause) return std::nullopt;
  return next_promotion(policy, goal, trials);
}

}  // namespace roost
