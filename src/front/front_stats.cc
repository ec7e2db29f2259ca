#include <fmt/format.h>

#include "front/front_server.h"

namespace roost {
namespace {

constexpr std::size_t kCoarse = 4;  // buckets that are one of Prometheus's

DeploymentCounts all_versions(const FrontDeployment& deployment) {
  DeploymentCounts all;
  for (const auto& [version, counts] : deployment.counts_by_version) all.add_all(counts);
  return all;
}

// Those with something in them: [upper bound in microseconds, how many].
Json buckets_of(const LatencyHistogram& latency) {
  Json buckets = Json::array();
  for (std::size_t i = 0; i < LatencyHistogram::kBuckets; ++i) {
    if (latency.count(i) > 0) buckets.push_back({LatencyHistogram::upper(i), latency.count(i)});
  }
  return buckets;
}

Json deployment_stats(const FrontDeployment& deployment) {
  const DeploymentCounts counts = all_versions(deployment);
  Json by_status = Json::object();
  for (const auto& [status, count] : counts.by_status) by_status[std::to_string(status)] = count;
  Json versions = Json::object();
  for (const auto& [version, of_version] : deployment.counts_by_version) versions[version] = of_version.requests;
  Json replicas = Json::array();
  for (const auto& replica : deployment.queue.replicas()) {
    replicas.push_back({{"run", replica->place.run},
                        {"in_flight", replica->in_flight},
                        {"unreachable", replica->is_avoided}});
  }
  return {{"name", deployment.table.name},
          {"revision", deployment.table.revision},
          {"version", deployment.table.version},
          {"in_flight", deployment.queue.in_flight()},
          {"waiting", deployment.queue.waiting()},
          {"held", deployment.queue.held()},
          {"requests", counts.requests},
          {"errors", counts.errors},
          {"by_status", std::move(by_status)},
          {"by_version", std::move(versions)},
          {"latency_us_buckets", buckets_of(counts.latency)},
          {"sum_us", counts.latency.sum_micros()},
          {"shadow_requests", counts.shadow_requests},
          {"shadow_errors", counts.shadow_errors},
          {"replicas", std::move(replicas)}};
}

std::string quoted(const std::string& text) {
  std::string out;
  for (const char each : text) {
    if (each == '\\' || each == '"') out += '\\';
    out += each == '\n' ? ' ' : each;
  }
  return out;
}

// One metric is one block of lines, so each is written for all deployments in turn.
class MetricsText {
 public:
  using Deployments = std::vector<std::pair<std::string, const FrontDeployment*>>;  // with their labels
  explicit MetricsText(Deployments deployments) : deployments_(std::move(deployments)) {}

  void gauge(const char* name, const char* help, auto value) {
    begin(name, help, "gauge");
    for (const auto& [labels, deployment] : deployments_) line(name, labels, value(deployment->queue));
  }
  void counter(const char* name, const char* help, auto value) {
    begin(name, help, "counter");
    each_version([&](const std::string& labels, const DeploymentCounts& counts) { line(name, labels, value(counts)); });
  }
  void statuses() {
    begin("roost_requests_total", "Answers by their status.", "counter");
    each_version([&](const std::string& labels, const DeploymentCounts& counts) {
      for (const auto& [status, count] : counts.by_status) {
        line("roost_requests_total", fmt::format("{},status=\"{}\"", labels, status), count);
      }
    });
  }
  void latency() {
    begin("roost_request_seconds", "From a request's end to its answer.", "histogram");
    each_version([&](const std::string& labels, const DeploymentCounts& counts) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < LatencyHistogram::kBuckets; ++i) {
        sum += counts.latency.count(i);
        if (i % kCoarse != kCoarse - 1 || i + 1 == LatencyHistogram::kBuckets) continue;
        line("roost_request_seconds_bucket",
             fmt::format("{},le=\"{:g}\"", labels, static_cast<double>(LatencyHistogram::upper(i)) / 1e6), sum);
      }
      line("roost_request_seconds_bucket", labels + ",le=\"+Inf\"", sum);
      line("roost_request_seconds_sum", labels, static_cast<double>(counts.latency.sum_micros()) / 1e6);
      line("roost_request_seconds_count", labels, sum);
    });
  }
  std::string text;

 private:
  void begin(const char* name, const char* help, const char* type) {
    text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
  }
  void line(const char* name, const std::string& labels, auto value) {
    text += fmt::format("{}{{{}}} {}\n", name, labels, value);
  }
  void each_version(const std::function<void(const std::string&, const DeploymentCounts&)>& job) {
    for (const auto& [labels, deployment] : deployments_) {
      for (const auto& [version, counts] : deployment->counts_by_version) {
        job(fmt::format("{},version=\"{}\"", labels, quoted(version)), counts);
      }
    }
  }

  const Deployments deployments_;
};

}  // namespace

Json FrontServer::stats() const {
  Json endpoints = Json::array();
  for (const auto& [slug, endpoint] : endpoints_) {
    Json deployments = Json::array();
    for (const auto& [name, deployment] : endpoint->deployments()) deployments.push_back(deployment_stats(*deployment));
    Json one = {{"workspace", endpoint->table->workspace},
                {"name", endpoint->table->name},
                {"deployments", std::move(deployments)}};
    if (!endpoint->port_error.empty()) one["port_error"] = endpoint->port_error;
    endpoints.push_back(std::move(one));
  }
  return {{"generation", generation_}, {"started", started_}, {"endpoints", std::move(endpoints)}};
}

std::string FrontServer::metrics() const {
  MetricsText::Deployments all;
  for (const auto& [slug, endpoint] : endpoints_) {
    for (const auto& [name, deployment] : endpoint->deployments()) {
      all.emplace_back(fmt::format("workspace=\"{}\",endpoint=\"{}\",deployment=\"{}\"",
                                   quoted(endpoint->table->workspace), quoted(endpoint->table->name), quoted(name)),
                       deployment.get());
    }
  }
  MetricsText metrics(std::move(all));
  metrics.statuses();
  metrics.latency();
  metrics.counter("roost_shadow_requests_total", "Copies sent to deployments that only look on.",
                  [](const DeploymentCounts& counts) { return counts.shadow_requests; });
  metrics.counter("roost_shadow_errors_total", "Of those, with no answer or one of 500 and above.",
                  [](const DeploymentCounts& counts) { return counts.shadow_errors; });
  metrics.gauge("roost_requests_in_flight", "Requests that replicas work on.",
                [](const ReplicaQueue& queue) { return queue.in_flight(); });
  metrics.gauge("roost_requests_waiting", "Requests that wait for a replica that is busy.",
                [](const ReplicaQueue& queue) { return queue.waiting(); });
  metrics.gauge("roost_requests_held", "Requests that wait for a replica to start.",
                [](const ReplicaQueue& queue) { return queue.held(); });
  metrics.gauge("roost_replicas", "Replicas that requests go to.",
                [](const ReplicaQueue& queue) { return queue.replicas().size(); });
  return std::move(metrics.text);
}

}  // namespace roost
