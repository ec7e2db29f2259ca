#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "base/clock.h"

namespace roost {

// When the processes of an attempt are told to end, and when they are killed. Decides only; whoever asks does it.
class StopPlan {
 public:
  // For the processes that still run when one fails: what they say of it tells who is to blame.
  static constexpr Micros kLastWords = kSecond;

  struct Told {
    bool abandoned = false;  // nobody wants it any more
    int cancel_grace = -1;   // seconds; -1 if it was not canceled
    int stop_grace = -1;     // seconds; -1 if no process failed
  };
  struct Act {
    bool terminate = false;  // SIGTERM, once; before `kill` if both are wanted
    bool kill = false;
  };
  // What is to be done at `now`, by the monotonic clock, which must never be less than before.
  Act next(Micros now, const Told& told) {
    const bool canceled = told.cancel_grace >= 0;
    const int grace = canceled ? told.cancel_grace : told.stop_grace;
    if (grace >= 0 && !stop_at_) stop_at_ = now + (canceled ? 0 : kLastWords);
    if (canceled) stop_at_ = std::min(*stop_at_, now);
    Act act;
    act.kill = told.abandoned;
    if (!told.abandoned && stop_at_ && now >= *stop_at_ && !kill_at_) {
      act.terminate = true;
      kill_at_ = now + grace * kSecond;
    }
    if (kill_at_ && now >= *kill_at_) {
      act.kill = true;
      kill_at_ = kNever;
    }
    return act;
  }

  // When it wants to be asked again at the latest; nothing if only a new order could change its mind.
  std::optional<Micros> next_kill() const { return kill_at_ == kNever ? std::nullopt : kill_at_; }

 private:
  static constexpr Micros kNever = std::numeric_limits<Micros>::max();
  std::optional<Micros> stop_at_;
  std::optional<Micros> kill_at_;
};

}  // namespace roost
