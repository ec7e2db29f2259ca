#include "domain/run_variables.h"

#include <fmt/format.h>

namespace roost {
namespace {

std::string framework_of(const Run& run) {
  const std::string kind = text_at(object_at(run.spec, "distributed"), "kind");
  if (kind == "pytorch") return "PyTorch";
  return kind == "tensorflow" ? "TensorFlow" : "Python";
}

}  // namespace

std::map<std::string, std::string> run_variables(const Run& run, const std::string& workspace_id,
                                                 const std::string& experiment_id,
                                                 const std::string& root_run, const std::string& token,
                                                 Micros token_expiry) {
  const std::string subscription = text_at(run.spec, "subscription_id", "00000000-0000-0000-0000-000000000000");
  const std::string group = text_at(run.spec, "resource_group", "roost");
  const std::string workspace_scope =
      fmt::format("/subscriptions/{}/resourceGroups/{}/providers/Microsoft.MachineLearningServices"
                  "/workspaces/{}",
                  subscription, group, run.workspace);
  return {{"AZUREML_RUN_ID", run.id},
          {"AZUREML_ROOT_RUN_ID", root_run},
          {"AZUREML_RUN_TOKEN", token},
          {"AZUREML_RUN_TOKEN_EXPIRY", std::to_string(token_expiry / kSecond)},
          {"AZUREML_EXPERIMENT_ID", experiment_id},
          {"AZUREML_EXPERIMENT_SCOPE", workspace_scope + "/experiments/" + run.experiment},
          {"AZUREML_WORKSPACE_ID", workspace_id},
          {"AZUREML_WORKSPACE_SCOPE", workspace_scope},
          {"AZUREML_ARM_SUBSCRIPTION", subscription},
          {"AZUREML_ARM_RESOURCEGROUP", group},
          {"AZUREML_ARM_WORKSPACE_NAME", run.workspace},
          {"AZUREML_ARM_PROJECT_NAME", run.experiment},
          {"AZUREML_NODE_COUNT", "1"},
          {"AZUREML_FRAMEWORK", framework_of(run)},
          {"AZUREML_DRIVERLOG_PATH", "azureml-logs/70_driver_log.txt"},
          {"ROOST_TOKEN", token},
          {"ROOST_RUN_ID", run.id},
          {"ROOST_WORKSPACE", run.workspace},
          {"ROOST_EXPERIMENT", run.experiment},
          {"ROOST_ATTEMPT", std::to_string(run.attempt)},
          {"RESTART_COUNT", std::to_string(run.attempt - 1)},
          {"AZUREML_RESTART_COUNT", std::to_string(run.attempt - 1)},
          {"PYTHONUNBUFFERED", "1"}};
}

void add_mlflow_variables(Json& variables, const std::string& workspace, const std::string& run,
                          const std::string& experiment, const std::string& token) {
  if (variables.contains("MLFLOW_TRACKING_URI")) return;
  variables.update({{"MLFLOW_TRACKING_URI", "$ROOST_URL/mlflow/" + workspace}, {"MLFLOW_TRACKING_TOKEN", token}});
  // Basic credentials would win over the token.
  variables.erase("MLFLOW_TRACKING_USERNAME");
  variables.erase("MLFLOW_TRACKING_PASSWORD");
  if (!variables.contains("MLFLOW_RUN_ID")) variables["MLFLOW_RUN_ID"] = run;
  const bool names_experiment = variables.contains("MLFLOW_EXPERIMENT_ID") || variables.contains("MLFLOW_EXPERIMENT_NAME");
  if (!names_experiment) variables["MLFLOW_EXPERIMENT_ID"] = experiment;
}

}  // namespace roost
