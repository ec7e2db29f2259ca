#include "front/front_deployment.h"

namespace roost {

void DeploymentCounts::add(int status, std::uint64_t micros) {
  ++requests;
  if (status >= 500) ++errors;
  ++by_status[status];
  latency.add(micros);
}

void DeploymentCounts::add_all(const DeploymentCounts& other) {
  requests += other.requests;
  errors += other.errors;
  for (const auto& [status, count] : other.by_status) by_status[status] += count;
  latency.add_all(other.latency);
  shadow_requests += other.shadow_requests;
  shadow_errors += other.shadow_errors;
}

void FrontDeployment::set(const TableEndpoint& endpoint, const TableDeployment& deployment) {
  table = deployment;
  ReplicaQueue::Settings settings;
  settings.max_concurrent = deployment.max_concurrent_requests;
  settings.limit = endpoint.queue_limit;
  settings.wait = std::chrono::milliseconds(endpoint.queue_wait_ms);
  settings.hold = std::chrono::milliseconds(endpoint.hold_ms);
  settings.is_starting = deployment.is_starting;
  queue.set(settings, deployment.replicas);
}

}  // namespace roost
