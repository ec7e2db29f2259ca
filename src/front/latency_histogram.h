#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace roost {

// How often answers took how long. Neighbouring bounds are 10 % apart, so that a quantile read from them is as exact.
class LatencyHistogram {
 public:
  static constexpr std::size_t kBuckets = 160;

  void add(std::uint64_t micros);
  // The longest time, in microseconds, that the bucket holds; the last one holds all that is longer than the one before.
  static std::uint64_t upper(std::size_t bucket);
  std::uint64_t count(std::size_t bucket) const { return counts_[bucket]; }
  std::uint64_t sum_micros() const { return sum_; }
  void add_all(const LatencyHistogram& other);

 private:
  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t sum_ = 0;
};

}  // namespace roost
