#include "score/script_metrics.h"

#include <algorithm>

#include <fmt/format.h>

namespace roost {

void ScriptMetrics::count(int status, std::chrono::duration<double> took, std::chrono::nanoseconds waited) {
  ++requests_;
  if (status >= 500) ++errors_;
  const auto at = std::ranges::lower_bound(kUpTo, took.count()) - kUpTo.begin();
  const std::lock_guard lock(mutex_);
  ++by_status_[status];
  ++buckets_[static_cast<std::size_t>(at)];
  seconds_ += took.count();
  waited_seconds_ += std::chrono::duration<double>(waited).count();
}

std::string ScriptMetrics::text(std::uint64_t busy, std::uint64_t waiting, std::uint64_t restarts) const {
  const std::lock_guard lock(mutex_);
  std::string out = "# TYPE roost_score_requests_total counter\n";
  for (const auto& [status, count] : by_status_) out += fmt::format("roost_score_requests_total{{code=\"{}\"}} {}\n", status, count);
  out += "# TYPE roost_score_seconds histogram\n";
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    sum += buckets_[i];
    const std::string up_to = i < kUpTo.size() ? fmt::format("{}", kUpTo[i]) : "+Inf";
    out += fmt::format("roost_score_seconds_bucket{{le=\"{}\"}} {}\n", up_to, sum);
  }
  out += fmt::format("roost_score_seconds_sum {}\nroost_score_seconds_count {}\n", seconds_, sum);
  out += fmt::format("# TYPE roost_score_queue_seconds_total counter\nroost_score_queue_seconds_total {}\n", waited_seconds_);
  out += fmt::format("# TYPE roost_score_busy_workers gauge\nroost_score_busy_workers {}\n", busy);
  out += fmt::format("# TYPE roost_score_waiting gauge\nroost_score_waiting {}\n", waiting);
  out += fmt::format("# TYPE roost_score_worker_restarts_total counter\nroost_score_worker_restarts_total {}\n", restarts);
  return out;
}

}  // namespace roost
