#pragma once

#include <atomic>

#include "base/clock.h"

namespace roost {

// A clock that stands still until a test turns it.
class FakeClock final : public Clock {
 public:
  Micros now() const override { return wall; }
  Micros steady() const override { return monotonic; }

  // Time passes, for both.
  void pass(Micros time) {
    wall += time;
    monotonic += time;
  }

  std::atomic<Micros> wall = 1'000 * kSecond;
  std::atomic<Micros> monotonic = 5 * kSecond;
};

}  // namespace roost
