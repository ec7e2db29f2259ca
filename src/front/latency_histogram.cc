#include "front/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace roost {
namespace {

constexpr double kFirst = 50;  // microseconds
constexpr double kRatio = 1.1;

std::array<std::uint64_t, LatencyHistogram::kBuckets> make_bounds() {
  std::array<std::uint64_t, LatencyHistogram::kBuckets> bounds{};
  double bound = kFirst;
  for (auto& each : bounds) {
    each = static_cast<std::uint64_t>(std::llround(bound));
    bound *= kRatio;
  }
  return bounds;
}

const auto kBounds = make_bounds();

}  // namespace

std::uint64_t LatencyHistogram::upper(std::size_t bucket) { return kBounds[bucket]; }

void LatencyHistogram::add(std::uint64_t micros) {
  const auto place = std::lower_bound(kBounds.begin(), kBounds.end() - 1, micros);
  ++counts_[static_cast<std::size_t>(place - kBounds.begin())];
  sum_ += micros;
}

void LatencyHistogram::add_all(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
  sum_ += other.sum_;
}

}  // namespace roost
