#pragma once

#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/serving_time.h"

namespace roost {

// For how long stored things have been as they are. What is stored has the wall clock's time, which may be set;
// so an age is counted from when this server first saw it, in ServingTime. Not thread-safe.
class Ages {
 public:
  explicit Ages(const ServingTime& time) : time_(time) {}

  // `stamp` tells the thing from one of the same name before it, e.g. since when it is in its state.
  Micros age(const std::string& name, Micros stamp) {
    const Micros now = time_.now();
    Known& known = known_.try_emplace(name, Known{stamp, now}).first->second;
    if (known.stamp != stamp) known = {stamp, now};
    known.asked = true;
    return now - known.since;
  }

  void forget(const std::string& name) { known_.erase(name); }

  // Forgets what nobody has asked for since the last time.
  void sweep() {
    for (auto it = known_.begin(); it != known_.end();) {
      it = std::exchange(it->second.asked, false) ? std::next(it) : known_.erase(it);
    }
  }

 private:
  struct Known {
    Micros stamp = 0;
    Micros since = 0;
    bool asked = true;
  };
  const ServingTime& time_;
  std::unordered_map<std::string, Known> known_;
};

}  // namespace roost
