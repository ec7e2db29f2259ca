#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace roost {

// What a servant of score.py counts. From any thread.
class ScriptMetrics {
 public:
  void count(int status, std::chrono::duration<double> took, std::chrono::nanoseconds waited);

  std::uint64_t requests() const { return requests_; }
  std::uint64_t errors() const { return errors_; }
  // Prometheus text, with what the workers are at now.
  std::string text(std::uint64_t busy, std::uint64_t waiting, std::uint64_t restarts) const;

 private:
  static constexpr std::array kUpTo = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0};

  std::atomic<std::uint64_t> requests_ = 0;
  std::atomic<std::uint64_t> errors_ = 0;
  mutable std::mutex mutex_;
  std::map<int, std::uint64_t> by_status_;
  std::array<std::uint64_t, kUpTo.size() + 1> buckets_{};
  double seconds_ = 0;
  double waited_seconds_ = 0;
};

}  // namespace roost
