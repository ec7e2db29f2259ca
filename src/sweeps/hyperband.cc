#include "sweeps/hyperband.h"

namespace roost {

std::vector<Bracket> brackets_of(const PolicySettings& policy) {
  std::int64_t most = 0;  // smax, without the rounding errors of logarithms
  std::int64_t power = 1;
  for (std::int64_t rung = policy.min_intervals; rung <= policy.max_intervals / policy.eta; rung *= policy.eta) {
    ++most;
    power *= policy.eta;
  }
  std::vector<Bracket> brackets;
  std::int64_t first = policy.min_intervals;
  for (std::int64_t s = most; s >= 0; --s) {
    brackets.push_back({s, ((most + 1) * power + s) / (s + 1), first});
    first *= policy.eta;
    power /= policy.eta;
  }
  return brackets;
}

std::vector<Ladder> bracket_ladders(const PolicySettings& policy) {
  const auto brackets = brackets_of(policy);
  std::int64_t round = 0;
  for (const Bracket& bracket : brackets) round += bracket.trials;
  std::vector<Ladder> ladders;
  std::int64_t begin = 0;
  for (const Bracket& bracket : brackets) {
    Ladder& ladder = ladders.emplace_back();
    ladder.eta = policy.eta;
    ladder.bracket = bracket.s;
    ladder.round = round;
    ladder.begin = begin;
    ladder.end = begin += bracket.trials;
    std::int64_t rung = bracket.first_rung;
    for (std::int64_t k = 0; k < bracket.s; ++k, rung *= policy.eta) ladder.rungs.push_back(rung);
  }
  return ladders;
}

Ladder bracket_ladder(const PolicySettings& policy, std::int64_t number) {
  auto ladders = bracket_ladders(policy);
  for (Ladder& ladder : ladders) {
    const std::int64_t place = number % ladder.round;
    if (place >= ladder.begin && place < ladder.end) return std::move(ladder);
  }
  return std::move(ladders.front());  // a trial of an earlier sweep, which nobody judges
}

}  // namespace roost
