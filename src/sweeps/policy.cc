#include "sweeps/policy.h"

#include <algorithm>

#include "sweeps/asha.h"
#include "sweeps/bandit.h"
#include "sweeps/hyperband.h"
#include "sweeps/median.h"
#include "sweeps/truncation.h"

namespace roost {
namespace {

bool has_rungs(const PolicySettings& policy) {
  return policy.type == PolicyType::kAsha || policy.type == PolicyType::kHyperband;
}

Ladder ladder_of(const PolicySettings& policy, std::int64_t number) {
  return policy.type == PolicyType::kAsha ? asha_ladder(policy) : bracket_ladder(policy, number);
}

std::vector<Ladder> ladders_of(const PolicySettings& policy) {
  if (policy.type == PolicyType::kAsha) return {asha_ladder(policy)};
  return bracket_ladders(policy);
}

// The first multiple of `step` that is above `after` and at least `least`.
std::int64_t next_multiple(std::int64_t step, std::int64_t after, std::int64_t least) {
  const std::int64_t from = std::max(after + 1, std::max<std::int64_t>(least, 1));
  return (from + step - 1) / step * step;
}

}  // namespace

Verdict judge(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
              std::int64_t interval) {
  if (has_rungs(policy)) {
    const Ladder ladder = ladder_of(policy, trials[index].number);
    return policy.pause ? pause_at_rung(ladder, goal, trials, index, interval)
                        : stop_at_rung(ladder, goal, trials, index, interval);
  }
  if (interval % policy.evaluation_interval != 0 || interval < policy.delay_evaluation) return {};
  switch (policy.type) {
    case PolicyType::kBandit: return judge_bandit(policy, goal, trials, index, interval);
    case PolicyType::kMedian: return judge_median(goal, trials, index, interval);
    case PolicyType::kTruncation: return judge_truncation(policy, goal, trials, index, interval);
    default: return {};
  }
}

std::optional<std::int64_t> next_to_resume(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials,
                                           bool draws_more) {
  if (!pauses(policy)) return std::nullopt;
  const auto ladders = ladders_of(policy);
  for (const Ladder& ladder : ladders) {
    if (const auto earned = next_promotion(ladder, goal, trials, draws_more)) return earned;
  }
  if (draws_more || std::any_of(trials.begin(), trials.end(), is_pending)) return std::nullopt;
  for (const Ladder& ladder : ladders) {
    if (const auto last = last_promotion(ladder, policy.max_intervals, goal, trials)) return last;
  }
  return std::nullopt;
}

Verdict judge_rest(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index) {
  return stop_rest(ladder_of(policy, trials[index].number), goal, trials, index);
}

std::optional<std::int64_t> next_check(const PolicySettings& policy, std::int64_t intervals_so_far, std::int64_t number) {
  switch (policy.type) {
    case PolicyType::kNone: return std::nullopt;
    case PolicyType::kPbt: return next_multiple(policy.interval, intervals_so_far, 0);
    case PolicyType::kAsha:
    case PolicyType::kHyperband: {
      const auto rungs = ladder_of(policy, number).rungs;
      const auto next = std::upper_bound(rungs.begin(), rungs.end(), intervals_so_far);
      return next == rungs.end() ? std::nullopt : std::optional(*next);
    }
    default: return next_multiple(policy.evaluation_interval, intervals_so_far, policy.delay_evaluation);
  }
}

}  // namespace roost
