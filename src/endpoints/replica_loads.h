#pragma once

#include <map>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/json.h"

namespace roost {

// What replicas said last of their work. Not kept over a restart: they say it again within a second. Thread-safe.
class ReplicaLoads {
 public:
  struct Said {
    Json load;
    Micros at = 0;  // steady
  };

  void say(const std::string& run, Json load, Micros at) {
    const std::lock_guard lock(mutex_);
    said_[run] = {std::move(load), at};
  }
  Said of(const std::string& run) const {
    const std::lock_guard lock(mutex_);
    const auto found = said_.find(run);
    return found == said_.end() ? Said{} : found->second;
  }
  void forget(const std::string& run) {
    const std::lock_guard lock(mutex_);
    said_.erase(run);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Said> said_;
};

}  // namespace roost
