#include "server/endpoint_details.h"

#include <fmt/format.h>

#include "domain/run.h"
#include "endpoints/endpoint_state.h"

namespace roost {
namespace {

Json optional_time(const std::optional<Micros>& at) { return at ? Json(format_time(*at)) : Json(); }

Json model_json(const std::string& id) {
  const auto reference = parse_model_reference(id);
  return {{"id", id}, {"name", reference ? reference->name : id}, {"version", reference ? reference->version : 0}};
}

std::string state_of(const ReplicaRow& replica) {
  if (is_terminal(replica.status)) return "failed";
  return replica.retired ? "stopping" : replica.state;
}

Json replica_json(const ReplicaRow& replica, const EndpointView& view) {
  return {{"run", replica.run_id},
          {"revision", replica.revision},
          {"version", replica.version},
          {"state", state_of(replica)},
          {"status", status_name(replica.status)},
          {"message", replica.message},
          {"node", or_null(replica.node)},
          {"created_at", format_time(replica.created)},
          {"ready_at", optional_time(replica.ready)},
          {"load", replica.retired ? Json() : view.loads.of(replica.run_id).load}};
}

}  // namespace

bool may_see_variables(const Principal& who, const EndpointRow& endpoint) {
  return who.role == Role::kOwner || (who.is_person() && who.name == endpoint.created_by);
}

Result<Json> endpoint_json(Tx& tx, const EndpointRow& endpoint, const EndpointView& view, const Principal& who) {
  ROOST_TRY(const auto open, open_replicas(tx));
  std::vector<ReplicaRow> replicas;
  for (const auto& replica : open) {
    if (replica.endpoint == endpoint.seq) replicas.push_back(replica);
  }
  const EndpointProgress progress = stored_progress(endpoint.progress);
  const ServiceState whole = endpoint_state(endpoint, replicas, view.now);
  Json answer = endpoint_spec_json(endpoint.spec);
  answer["port"] = endpoint.spec.port == 0 ? Json() : Json(endpoint.spec.port);
  for (auto& deployment : answer["deployments"]) {
    const DeploymentSpec& spec = *endpoint.spec.find(text_at(deployment, "name"));
    const ServiceState state = deployment_state(spec, progress, replicas, view.now);
    Json models = Json::array();
    for (const auto& id : spec.models) models.push_back(model_json(id));
    deployment["models"] = std::move(models);
    deployment["state"] = state.name;
    deployment["error"] = state.error;
    deployment["ready"] = state.ready;
    deployment["wanted"] = state.wanted;
    const auto known = progress.deployments.find(spec.name);
    deployment["restarts"] = known == progress.deployments.end() ? 0 : known->second.restarts;
    Json now = Json::array();
    for (const auto& replica : replicas) {
      if (replica.deployment == spec.name) now.push_back(replica_json(replica, view));
    }
    deployment["replicas_now"] = std::move(now);
    mask_spec(deployment, may_see_variables(who, endpoint) ? Variables::kShown : Variables::kMasked);
  }
  Json steps = Json::array();
  for (const auto& step : progress.steps) steps.push_back({{"at", format_time(step.at)}, {"text", step.text}});
  const std::string front = view.front.empty() ? "" : fmt::format("{}/endpoints/{}", view.front, endpoint.slug);
  const std::string base = endpoint.spec.port == 0 ? front : fmt::format("http://localhost:{}", endpoint.spec.port);
  answer["workspace"] = endpoint.workspace;
  answer["slug"] = endpoint.slug;
  answer["path"] = "/endpoints/" + endpoint.slug;
  answer["state"] = whole.name;
  answer["error"] = whole.error;
  answer["steps"] = std::move(steps);
  answer["base_uri"] = base;
  answer["scoring_uri"] = base.empty() ? "" : base + "/score";
  answer["swagger_uri"] = base.empty() ? "" : base + "/swagger.json";
  answer["revision"] = endpoint.revision;
  answer["created_at"] = format_time(endpoint.created);
  answer["updated_at"] = format_time(endpoint.updated);
  answer["created_by"] = endpoint.created_by;
  return answer;
}

}  // namespace roost
