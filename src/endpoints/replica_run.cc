#include "endpoints/replica_run.h"

#include <fmt/format.h>

namespace roost {
namespace {

constexpr const char* kModels = "azureml-models";

std::string place_of(const DeployedModel& model) { return fmt::format("{}/{}/{}", kModels, model.name, model.version); }

// AZUREML_MODEL_DIR: of one model the folder it is in, of several the one above them all.
std::string model_folder(const std::vector<DeployedModel>& models) {
  if (models.size() != 1) return kModels;
  return place_of(models.front());
}

Json order_json(const EndpointRow& endpoint, const DeploymentSpec& deployment, const std::vector<DeployedModel>& models,
                bool listens_here) {
  Json list = Json::array();
  for (const auto& model : models) {
    list.push_back({{"name", model.name}, {"version", model.version}, {"path", place_of(model)}});
  }
  return {{"endpoint", endpoint.spec.name},
          {"workspace", endpoint.workspace},
          {"deployment", deployment.name},
          {"revision", deployment.revision},
          {"slug", endpoint.slug},
          {"runtime", deployment.runtime},
          {"models", std::move(list)},
          {"entry_script", deployment.entry_script},
          {"source_directory", deployment.source_directory},
          {"workers", deployment.workers},
          {"max_concurrent_requests", deployment.concurrency()},
          {"queue_limit", deployment.queue_limit},
          {"queue_wait_ms", deployment.queue_wait_ms},
          {"scoring_timeout_ms", deployment.scoring_timeout_ms},
          {"max_body_bytes", kMostBody},
          {"batching", {{"max_batch", deployment.max_batch}, {"max_delay_us", deployment.max_delay_us}}},
          {"threads", {{"intra_op", deployment.intra_op}}},
          {"cors_origins", text_at(deployment.environment_variables, "AML_CORS_ORIGINS")},
          {"listen", listens_here ? "127.0.0.1" : ""},
          {"model_dir", model_folder(models)}};
}

}  // namespace

std::string version_of(const DeploymentSpec& deployment) {
  return deployment.models.empty() ? deployment.name : fmt::format("{}", fmt::join(deployment.models, ","));
}

RunSpec replica_run(const EndpointRow& endpoint, const DeploymentSpec& deployment, const std::vector<DeployedModel>& models,
                    bool listens_here) {
  RunSpec spec;
  spec.experiment = "endpoint-" + endpoint.spec.name;
  spec.display_name = fmt::format("{}/{}", endpoint.spec.name, deployment.name);
  if (!deployment.snapshot.empty()) spec.snapshot = deployment.snapshot;
  spec.command = "\"$ROOST_PROGRAM\" serve";
  spec.compute = endpoint.spec.compute;
  spec.environment = deployment.environment;
  spec.environment_variables = deployment.environment_variables;
  spec.environment_variables["ROOST_REPLICA"] = to_text(order_json(endpoint, deployment, models, listens_here));
  for (const auto& model : models) {
    RunInput input;
    input.name = fmt::format("model_{}", spec.inputs.size());
    input.content = model.content;
    input.path = place_of(model);
    spec.inputs.push_back(std::move(input));
  }
  spec.properties = {{"azureml.runsource", "roost.serving"},
                     {"roost.endpoint", endpoint.spec.name},
                     {"roost.deployment", deployment.name},
                     {"roost.revision", std::to_string(deployment.revision)}};
  spec.is_replica = true;
  return spec;
}

}  // namespace roost
