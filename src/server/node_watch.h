#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/clock.h"

namespace roost {

// When each node was last heard of. In memory only: after a restart every node gets a fresh start.
class NodeWatch {
 public:
  void heard(const std::string& node, Micros now) {
    const std::lock_guard lock(mutex_);
    last_[node] = now;
  }
  // Since when there has been silence; a node never heard of counts from the first time it is asked for.
  Micros last_heard(const std::string& node, Micros now) {
    const std::lock_guard lock(mutex_);
    return last_.try_emplace(node, now).first->second;
  }
  // For how long the node's processes have done nothing, as it says itself.
  void idle(const std::string& node, double seconds) {
    const std::lock_guard lock(mutex_);
    idle_[node] = seconds;
  }
  double idle_seconds(const std::string& node) {
    const std::lock_guard lock(mutex_);
    const auto known = idle_.find(node);
    return known == idle_.end() ? 0 : known->second;
  }
  void forget(const std::string& node) {
    const std::lock_guard lock(mutex_);
    last_.erase(node);
    idle_.erase(node);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Micros> last_;
  std::unordered_map<std::string, double> idle_;
};

}  // namespace roost
