#include "sweeps/hyperband.h"

#include <fmt/format.h>

#include "sweeps/asha.h"

namespace roost {

std::vector<Bracket> brackets_of(const PolicySettings& policy) {
  std::int64_t most = 0;  // smax = floor(log_eta(max / min)), without rounding errors
  for (std::int64_t rung = policy.min_intervals; rung <= policy.max_intervals / policy.eta; rung *= policy.eta) ++most;
  std::vector<Bracket> brackets;
  std::int64_t first = policy.min_intervals;
  std::int64_t power = 1;
  for (std::int64_t s = 0; s < most; ++s) power *= policy.eta;
  for (std::int64_t s = most; s >= 0; --s) {
    brackets.push_back({s, ((most + 1) * power + s) / (s + 1), first});
    first *= policy.eta;
    power /= policy.eta;
  }
  return brackets;
}

const Bracket& bracket_of(const std::vector<Bracket>& brackets, std::int64_t number) {
  std::int64_t round = 0;
  for (const Bracket& bracket : brackets) round += bracket.trials;
  std::int64_t place = number % round;
  for (const Bracket& bracket : brackets) {
    if (place < bracket.trials) return bracket;
    place -= bracket.trials;
  }
  return brackets.back();
}

Verdict judge_hyperband(const PolicySettings& policy, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                        std::int64_t interval) {
  const auto brackets = brackets_of(policy);
  const Bracket& own = bracket_of(brackets, trials[index].number);
  const auto rungs = rungs_of(own.first_rung, policy.max_intervals, policy.eta);
  Verdict verdict = judge_rung(rungs, policy.eta, goal, trials, index, interval, [&](const Trial& trial) {
    return bracket_of(brackets, trial.number).s == own.s;
  });
  if (verdict.kind == Verdict::kStop) verdict.reason += fmt::format(", bracket {}", own.s);
  return verdict;
}

}  // namespace roost
