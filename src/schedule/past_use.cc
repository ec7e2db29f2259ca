#include "schedule/past_use.h"

#include <algorithm>
#include <cmath>

namespace roost {
namespace {

double half_lives(Micros time) { return static_cast<double>(time) / static_cast<double>(kUseHalfLife); }

// What is left at `now` of one node held from `from` to `to`: the integral of 2^-age, in half-lives.
double left_of(Micros from, Micros to, Micros now) {
  return (std::exp2(-half_lives(now - to)) - std::exp2(-half_lives(now - from))) / std::log(2.0);
}

}  // namespace

void PastUse::add(const std::string& user, double nodes, Micros from, Micros to) {
  if (to <= from) return;
  User& known = users_[user];
  const Micros at = std::max(known.at, to);
  known.nodes = known.nodes * std::exp2(-half_lives(at - known.at)) + nodes * left_of(from, to, at);
  known.at = at;
}

void PastUse::note_start(const std::string& user, Micros at) {
  User& known = users_[user];
  known.last_start = std::max(known.last_start, at);
}

double PastUse::nodes(const std::string& user, Micros now) const {
  const auto known = users_.find(user);
  if (known == users_.end()) return 0;
  return known->second.nodes * std::exp2(-half_lives(std::max<Micros>(0, now - known->second.at)));
}

Micros PastUse::last_start(const std::string& user) const {
  const auto known = users_.find(user);
  return known == users_.end() ? 0 : known->second.last_start;
}

}  // namespace roost
