#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace roost {

// Counters for /metrics. Thread-safe.
class Statistics {
 public:
  void request(const std::string& operation, int status, double seconds) {
    const std::lock_guard lock(mutex_);
    auto& count = requests_[{operation, status}];
    ++count.requests;
    count.seconds += seconds;
  }
  struct Requests {
    std::int64_t requests = 0;
    double seconds = 0;
  };
  std::map<std::pair<std::string, int>, Requests> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  std::atomic<std::int64_t> log_bytes = 0;
  std::atomic<std::int64_t> metric_points = 0;
  std::atomic<std::int64_t> runs_submitted = 0;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, Requests> requests_;
};

}  // namespace roost
