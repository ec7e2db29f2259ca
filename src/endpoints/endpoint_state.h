#pragma once

#include <string>
#include <vector>

#include "endpoints/endpoint_progress.h"
#include "records/endpoint_records.h"

namespace roost {

// How a deployment, or a whole endpoint, is: "Transitioning", "Healthy", "Unhealthy", "Unschedulable" or "Failed", as
// Azure ML names it.
struct ServiceState {
  std::string name = "Transitioning";
  Json error;  // null or {"code", "statusCode", "message", "details"}
  std::int64_t ready = 0;
  std::int64_t wanted = 0;
};

ServiceState deployment_state(const DeploymentSpec& deployment, const EndpointProgress& progress,
                              const std::vector<ReplicaRow>& replicas, Micros now);
// The worst of its deployments' that get traffic; "Healthy" without any.
ServiceState endpoint_state(const EndpointRow& endpoint, const std::vector<ReplicaRow>& replicas, Micros now);

}  // namespace roost
