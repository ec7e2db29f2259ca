#include "front/traffic_split.h"

#include <numeric>
#include <utility>

namespace roost {

void TrafficSplit::set(std::vector<std::int64_t> shares) {
  if (shares == shares_) return;
  shares_ = std::move(shares);
  credit_.assign(shares_.size(), 0);
  sum_ = std::accumulate(shares_.begin(), shares_.end(), std::int64_t(0));
}

// Everybody earns its share at each turn, the richest has the turn and pays for all.
std::size_t TrafficSplit::next() {
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    credit_[i] += shares_[i];
    if (credit_[i] > credit_[chosen]) chosen = i;
  }
  credit_[chosen] -= sum_;
  return chosen;
}

}  // namespace roost
