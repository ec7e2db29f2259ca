#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "endpoints/scale.h"

namespace roost {

// Rates and latencies of deployments, from the front's counters, which grow from its start. Thread-safe.
class FrontStatistics {
 public:
  // What GET /front/stats said, at that steady time.
  void take(const Json& stats, Micros now, Micros wall);
  // The front is not there; what was counted stays.
  void lost();

  bool is_up() const;
  DeploymentLoad load(const std::string& workspace, const std::string& endpoint, const std::string& deployment) const;
  // Of those deployments: {"deployments": [...], "front": {"up"}}.
  Json of(const std::string& workspace, const std::string& endpoint, const std::vector<std::string>& deployments) const;

 private:
  struct Counters {
    std::uint64_t requests = 0;
    std::uint64_t errors = 0;
    std::map<std::uint64_t, std::uint64_t> buckets;  // upper bound in us -> requests
  };
  struct Point {
    Micros at = 0;
    double requests = 0;  // per second
    double errors = 0;
    double p50_ms = 0;
    double p99_ms = 0;
  };
  struct Series {
    Json last = Json::object();
    Counters counted;       // of this front
    Counters at_last_point;
    Counters before;        // of fronts before this one
    Micros point_time = 0;
    std::deque<Point> points;
    Micros seen = 0;
  };
  using Key = std::pair<std::string, std::string>;  // "workspace/endpoint", deployment

  static Counters read_counters(const Json& deployment);
  static double quantile_ms(const Counters& counters, double share);
  static Counters difference(const Counters& now, const Counters& then);

  mutable std::mutex mutex_;
  std::int64_t front_started_ = 0;
  bool is_up_ = false;
  std::map<Key, Series> series_;
};

}  // namespace roost
