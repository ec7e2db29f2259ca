#pragma once

#include <algorithm>
#include <mutex>

#include "base/clock.h"

namespace roost {

// The time in which this server could hear its nodes and decide about them. It is monotonic, so that no step
// of the wall clock ends anybody's work, and it stands still while the control loop does (the machine slept,
// the server was stopped, the disk hung), so that nobody is blamed for a silence the server slept through.
// Only differences mean something. Thread-safe.
class ServingTime {
 public:
  explicit ServingTime(const Clock& clock) : clock_(clock), ticked_(clock.steady()) {}

  Micros now() const {
    const std::lock_guard lock(mutex_);
    return served_ + std::min(clock_.steady() - ticked_, kMostBetweenTicks);
  }

  // The control loop has come round. True after so long a pause that whoever was silent before it gets his
  // full time again.
  bool tick() {
    const std::lock_guard lock(mutex_);
    const Micros steady = clock_.steady();
    const Micros gap = steady - ticked_;
    served_ += std::min(gap, kMostBetweenTicks);
    ticked_ = steady;
    return gap > kLongPause;
  }

 private:
  static constexpr Micros kMostBetweenTicks = kSecond;
  static constexpr Micros kLongPause = 3 * kSecond;

  const Clock& clock_;
  mutable std::mutex mutex_;
  Micros served_ = kSecond;
  Micros ticked_;
};

}  // namespace roost
