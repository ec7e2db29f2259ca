#include "endpoints/front_statistics.h"

#include <algorithm>

namespace roost {
namespace {

constexpr Micros kPointTime = 5 * kSecond;
constexpr std::size_t kPoints = 60;
constexpr Micros kForgetAfter = 3600 * kSecond;

}  // namespace

FrontStatistics::Counters FrontStatistics::read_counters(const Json& deployment) {
  Counters counters;
  counters.requests = size_at(deployment, "requests");
  counters.errors = size_at(deployment, "errors");
  for (const auto& bucket : array_at(deployment, "latency_us_buckets")) {
    if (!bucket.is_array() || bucket.size() != 2 || !bucket[0].is_number() || !bucket[1].is_number_unsigned()) continue;
    counters.buckets[static_cast<std::uint64_t>(bucket[0].get<double>())] = bucket[1].get<std::uint64_t>();
  }
  return counters;
}

FrontStatistics::Counters FrontStatistics::difference(const Counters& now, const Counters& then) {
  Counters counters = now;
  counters.requests -= std::min(now.requests, then.requests);
  counters.errors -= std::min(now.errors, then.errors);
  for (const auto& [upper, count] : then.buckets) {
    auto& left = counters.buckets[upper];
    left -= std::min(left, count);
  }
  return counters;
}

// Within the bucket by straight line, as Prometheus does it.
double FrontStatistics::quantile_ms(const Counters& counters, double share) {
  std::uint64_t total = 0;
  for (const auto& [upper, count] : counters.buckets) total += count;
  if (total == 0) return 0;
  const double wanted = share * static_cast<double>(total);
  double below = 0;
  double lower = 0;
  for (const auto& [upper, count] : counters.buckets) {
    const double in = static_cast<double>(count);
    if (count > 0 && below + in >= wanted) {
      return (lower + (static_cast<double>(upper) - lower) * (wanted - below) / in) / 1000;
    }
    below += in;
    lower = static_cast<double>(upper);
  }
  return lower / 1000;
}

void FrontStatistics::take(const Json& stats, Micros now, Micros wall) {
  const std::lock_guard lock(mutex_);
  is_up_ = true;
  const std::int64_t started = integer_at(stats, "started");
  const bool is_new_front = started != front_started_;
  front_started_ = started;
  if (is_new_front) {
    for (auto& [key, series] : series_) {
      series.before.requests += series.counted.requests;
      series.before.errors += series.counted.errors;
      for (const auto& [upper, count] : series.counted.buckets) series.before.buckets[upper] += count;
      series.counted = {};
      series.at_last_point = {};
    }
  }
  for (const auto& endpoint : array_at(stats, "endpoints")) {
    const std::string name = text_at(endpoint, "workspace") + "/" + text_at(endpoint, "name");
    for (const auto& deployment : array_at(endpoint, "deployments")) {
      Series& series = series_[{name, text_at(deployment, "name")}];
      series.last = deployment;
      series.counted = read_counters(deployment);
      series.seen = now;
      if (series.point_time == 0) {
        series.point_time = now;
        series.at_last_point = series.counted;
      }
      if (now - series.point_time < kPointTime) continue;
      const Counters since = difference(series.counted, series.at_last_point);
      const double seconds = static_cast<double>(now - series.point_time) / kSecond;
      series.points.push_back({wall, static_cast<double>(since.requests) / seconds, static_cast<double>(since.errors) / seconds,
                               quantile_ms(since, 0.5), quantile_ms(since, 0.99)});
      if (series.points.size() > kPoints) series.points.pop_front();
      series.point_time = now;
      series.at_last_point = series.counted;
    }
  }
  std::erase_if(series_, [&](const auto& one) { return now - one.second.seen > kForgetAfter; });
}

void FrontStatistics::lost() {
  const std::lock_guard lock(mutex_);
  is_up_ = false;
}

bool FrontStatistics::is_up() const {
  const std::lock_guard lock(mutex_);
  return is_up_;
}

DeploymentLoad FrontStatistics::load(const std::string& workspace, const std::string& endpoint,
                                     const std::string& deployment) const {
  const std::lock_guard lock(mutex_);
  const auto found = series_.find({workspace + "/" + endpoint, deployment});
  if (found == series_.end() || !is_up_) return {};
  const Json& last = found->second.last;
  return {integer_at(last, "in_flight"), integer_at(last, "waiting") + integer_at(last, "held")};
}

Json FrontStatistics::of(const std::string& workspace, const std::string& endpoint,
                         const std::vector<std::string>& deployments) const {
  const std::lock_guard lock(mutex_);
  Json list = Json::array();
  for (const auto& name : deployments) {
    const auto found = series_.find({workspace + "/" + endpoint, name});
    const Series series = found == series_.end() ? Series{} : found->second;
    Counters all = series.counted;
    for (const auto& [upper, count] : series.before.buckets) all.buckets[upper] += count;
    Json points = Json::array();
    for (const auto& point : series.points) {
      points.push_back({{"at", format_time(point.at)},
                        {"requests_per_second", point.requests},
                        {"errors_per_second", point.errors},
                        {"p50_ms", point.p50_ms},
                        {"p99_ms", point.p99_ms}});
    }
    const Counters since = difference(series.counted, series.at_last_point);
    const bool has_new = since.requests > 0;
    list.push_back({{"name", name},
                    {"version", text_at(series.last, "version")},
                    {"revision", integer_at(series.last, "revision")},
                    {"requests", series.counted.requests + series.before.requests},
                    {"errors", series.counted.errors + series.before.errors},
                    {"by_status", object_at(series.last, "by_status")},
                    {"in_flight", integer_at(series.last, "in_flight")},
                    {"waiting", integer_at(series.last, "waiting") + integer_at(series.last, "held")},
                    {"shadow_requests", integer_at(series.last, "shadow_requests")},
                    {"shadow_errors", integer_at(series.last, "shadow_errors")},
                    {"requests_per_second", series.points.empty() ? 0 : series.points.back().requests},
                    {"p50_ms", quantile_ms(has_new ? since : all, 0.5)},
                    {"p99_ms", quantile_ms(has_new ? since : all, 0.99)},
                    {"points", std::move(points)}});
  }
  return {{"deployments", std::move(list)}, {"front", {{"up", is_up_}}}};
}

}  // namespace roost
