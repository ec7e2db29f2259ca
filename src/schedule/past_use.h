#pragma once

#include <string>
#include <unordered_map>

#include "base/clock.h"

namespace roost {

// Half of what somebody used is forgotten after this long.
inline constexpr Micros kUseHalfLife = 3600 * kSecond;

// How much of a compute each user had lately, in nodes: who held n nodes for very long has about 1.4 n,
// an hour after that half of it.
class PastUse {
 public:
  struct User {
    double nodes = 0;       // at `at`
    Micros at = 0;
    Micros last_start = 0;  // when a run of theirs was last given nodes
  };

  // The user held so many nodes from then to then. Calls may come in any order of time.
  void add(const std::string& user, double nodes, Micros from, Micros to);
  void note_start(const std::string& user, Micros at);

  double nodes(const std::string& user, Micros now) const;
  Micros last_start(const std::string& user) const;

 private:
  std::unordered_map<std::string, User> users_;
};

}  // namespace roost
