#include "sweeps/asha.h"

namespace roost {

Ladder asha_ladder(const PolicySettings& policy) {
  Ladder ladder;
  ladder.eta = policy.eta;
  for (std::int64_t rung = policy.min_intervals; rung < policy.max_intervals; rung *= policy.eta) ladder.rungs.push_back(rung);
  return ladder;
}

}  // namespace roost
