#include "endpoints/endpoint_state.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace roost {
namespace {

// So long a run may wait for a node before that is said.
constexpr Micros kUsualWait = 20 * kSecond;

bool waits_for_node(const ReplicaRow& replica, Micros now) {
  const bool waits = replica.status == RunStatus::kQueued || replica.status == RunStatus::kProvisioning;
  return waits && now - replica.created > kUsualWait;
}

Json error_json(const std::string& kind, const std::string& code, const std::string& message) {
  const std::string family = kind == "aks" ? "KubernetesDeploymentFailed" : kind == "aci" ? "AciDeploymentFailed" : "DeploymentFailed";
  return {{"code", family},
          {"statusCode", 400},
          {"message", message},
          {"details", Json::array({{{"code", code}, {"message", message}}})}};
}

// From good to bad.
std::size_t rank(const std::string& state) {
  static const std::array<std::string, 5> kOrder = {"Healthy", "Transitioning", "Unschedulable", "Unhealthy", "Failed"};
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), state) - kOrder.begin());
}

}  // namespace

ServiceState deployment_state(const DeploymentSpec& deployment, const EndpointProgress& progress,
                              const std::vector<ReplicaRow>& replicas, Micros now) {
  ServiceState state;
  const auto known = progress.deployments.find(deployment.name);
  if (known == progress.deployments.end() || known->second.revision != deployment.revision) return state;
  const DeploymentProgress& one = known->second;
  state.wanted = one.wanted;
  bool serves = false;
  bool waits = false;
  for (const auto& replica : replicas) {
    if (replica.deployment != deployment.name || replica.retired || is_terminal(replica.status)) continue;
    const bool ready = replica.state == "ready" && replica.port != 0;
    serves = serves || ready;
    if (replica.revision != deployment.revision) continue;
    if (ready) ++state.ready;
    waits = waits || waits_for_node(replica, now);
  }
  if (!one.code.empty() && (one.has_failed || state.ready == 0)) state.error = error_json("", one.code, one.message);
  if (one.has_failed) {
    state.name = serves ? "Unhealthy" : "Failed";
  } else if (one.was_ready && (state.ready > 0 || one.wanted == 0)) {
    state.name = "Healthy";
    state.error = nullptr;
  } else if (waits) {
    state.name = "Unschedulable";
    state.error = error_json("", "Unschedulable",
                             "no node has become free for it yet; 'roost queue' says why, 'roost compute' what there is");
  } else if (one.was_ready) {
    state.name = "Unhealthy";
  }
  return state;
}

ServiceState endpoint_state(const EndpointRow& endpoint, const std::vector<ReplicaRow>& replicas, Micros now) {
  const EndpointProgress progress = stored_progress(endpoint.progress);
  ServiceState worst;
  worst.name = "Healthy";
  for (const auto& deployment : endpoint.spec.deployments) {
    const ServiceState state = deployment_state(deployment, progress, replicas, now);
    worst.ready += state.ready;
    worst.wanted += state.wanted;
    if (rank(state.name) <= rank(worst.name)) continue;
    worst.name = state.name;
    worst.error = state.error;
  }
  if (worst.error.is_object()) {
    const Json details = worst.error["details"];
    worst.error = error_json(endpoint.spec.kind, "", text_at(worst.error, "message"));
    worst.error["details"] = details;
  }
  return worst;
}

}  // namespace roost
