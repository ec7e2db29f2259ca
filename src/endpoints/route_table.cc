#include "endpoints/route_table.h"

#include <algorithm>

#include "base/digest.h"
#include "endpoints/replica_run.h"

namespace roost {
namespace {

constexpr std::int64_t kHoldMs = 60'000;  // a request may wait so long for the first replica

bool serves(const ReplicaRow& replica) {
  return !replica.retired && replica.state == "ready" && replica.port != 0 && !is_terminal(replica.status);
}

// The newest revision that serves: while another one comes up, the one before.
const ReplicaRow* newest_serving(const DeploymentSpec& deployment, const std::vector<ReplicaRow>& replicas) {
  const ReplicaRow* newest = nullptr;
  for (const auto& replica : replicas) {
    if (replica.deployment != deployment.name || !serves(replica)) continue;
    if (!newest || replica.revision > newest->revision) newest = &replica;
  }
  return newest;
}

Json replicas_json(const DeploymentSpec& deployment, const std::vector<ReplicaRow>& replicas) {
  Json list = Json::array();
  for (const auto& replica : replicas) {
    if (replica.deployment != deployment.name || !serves(replica)) continue;
    list.push_back({{"run", replica.run_id}, {"address", replica.address}, {"port", replica.port}, {"key", replica.key}});
  }
  return list;
}

Json shares_json(const std::map<std::string, std::int64_t>& shares) {
  Json list = Json::array();
  for (const auto& [name, percent] : shares) {
    if (percent > 0) list.push_back({{"deployment", name}, {"percent", percent}});
  }
  return list;
}

Json endpoint_json(const RoutedEndpoint& routed) {
  const EndpointSpec& spec = routed.endpoint.spec;
  const EndpointProgress progress = stored_progress(routed.endpoint.progress);
  std::int64_t timeout = 1;
  std::int64_t wait = 0;
  std::int64_t limit = 0;
  Json deployments = Json::array();
  for (const auto& deployment : spec.deployments) {
    timeout = std::max(timeout, deployment.scoring_timeout_ms);
    wait = std::max(wait, deployment.queue_wait_ms);
    limit = std::max(limit, deployment.queue_limit);
    const auto known = progress.deployments.find(deployment.name);
    const bool given_up = known != progress.deployments.end() && known->second.has_failed;
    const ReplicaRow* newest = newest_serving(deployment, routed.replicas);
    deployments.push_back({{"name", deployment.name},
                           {"revision", newest ? newest->revision : deployment.revision},
                           {"version", newest ? newest->version : version_of(deployment)},
                           {"max_concurrent_requests", deployment.concurrency()},
                           {"starting", !given_up},
                           {"replicas", replicas_json(deployment, routed.replicas)}});
  }
  Json keys = Json::array();
  Json tokens = Json::array();
  if (spec.auth != "none") {
    if (spec.auth == "key") keys = {sha256_hex(routed.endpoint.primary_key), sha256_hex(routed.endpoint.secondary_key)};
    for (const auto& token : routed.tokens) tokens.push_back({{"sha256", token.hash}, {"expires", token.expires / kSecond}});
  }
  std::string cors = text_at(spec.settings, "cors_origins");
  for (const auto& deployment : spec.deployments) {
    if (cors.empty()) cors = text_at(deployment.environment_variables, "AML_CORS_ORIGINS");
  }
  return {{"workspace", routed.endpoint.workspace},
          {"name", spec.name},
          {"slug", routed.endpoint.slug},
          {"port", spec.port},
          {"auth", spec.auth},
          {"keys", std::move(keys)},
          {"tokens", std::move(tokens)},
          {"maps_500_to_502", spec.kind == "aks" || spec.kind == "aci"},
          {"max_body_bytes", kMostBody},
          {"scoring_timeout_ms", timeout},
          {"queue_wait_ms", wait},
          {"queue_limit", limit},
          {"hold_ms", kHoldMs},
          {"cors_origins", cors},
          {"default", spec.default_deployment},
          {"traffic", shares_json(spec.traffic)},
          {"shadow", shares_json(spec.shadow)},
          {"deployments", std::move(deployments)}};
}

}  // namespace

Json route_table(const std::vector<RoutedEndpoint>& endpoints) {
  Json list = Json::array();
  for (const auto& one : endpoints) list.push_back(endpoint_json(one));
  return {{"endpoints", std::move(list)}};
}

}  // namespace roost
