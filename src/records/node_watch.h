#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "base/serving_time.h"

namespace roost {

// A node's part of an attempt: run, attempt, node rank.
using PartName = std::tuple<std::string, std::int64_t, int>;

// When each node was last heard of, and what it said. In memory only: after a restart every node gets a fresh
// start. Time is counted in ServingTime. Thread-safe.
class NodeWatch {
 public:
  explicit NodeWatch(const ServingTime& time) : time_(time) {}

  void heard(const std::string& node) {
    const Micros now = time_.now();
    const std::lock_guard lock(mutex_);
    nodes_[node].heard = now;
  }
  // For how long it has said nothing; a node never heard of counts from the first time it is asked for.
  Micros silence(const std::string& node) {
    const Micros now = time_.now();
    const std::lock_guard lock(mutex_);
    Known& known = nodes_[node];
    if (!known.heard) known.heard = now;
    return now - *known.heard;
  }
  // Nobody could be heard for a while: all have their full time to speak again.
  void forgive_silence() {
    const Micros now = time_.now();
    const std::lock_guard lock(mutex_);
    for (auto& [node, known] : nodes_) known.heard = now;
  }

  // For how long the node's processes have done nothing, as it says itself.
  void idle(const std::string& node, double seconds) {
    const std::lock_guard lock(mutex_);
    nodes_[node].idle = seconds;
  }
  double idle_seconds(const std::string& node) {
    const std::lock_guard lock(mutex_);
    const auto known = nodes_.find(node);
    return known == nodes_.end() ? 0 : known->second.idle;
  }

  // Which parts of attempts the node has, by its newest heartbeat.
  void has(const std::string& node, std::set<PartName> parts) {
    const std::lock_guard lock(mutex_);
    nodes_[node].parts = std::move(parts);
  }
  // False only if the node was heard of and did not name it.
  bool may_have(const std::string& node, const PartName& part) const {
    const std::lock_guard lock(mutex_);
    const auto known = nodes_.find(node);
    return known == nodes_.end() || !known->second.parts || known->second.parts->contains(part);
  }

  void forget(const std::string& node) {
    const std::lock_guard lock(mutex_);
    nodes_.erase(node);
  }

 private:
  struct Known {
    std::optional<Micros> heard;
    double idle = 0;
    std::optional<std::set<PartName>> parts;
  };
  const ServingTime& time_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Known> nodes_;
};

}  // namespace roost
