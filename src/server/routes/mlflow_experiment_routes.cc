#include <fmt/format.h>

#include "base/text.h"
#include "mlflow/label_names.h"
#include "mlflow/run_wire.h"
#include "records/wire_run_records.h"
#include "records/workspace_records.h"
#include "server/routes/mlflow_calls.h"

namespace roost {
namespace {

Json wire_experiment(const Experiment& experiment) {
  const std::string id = wire_experiment_id(experiment);
  Json wire = {{"experiment_id", id},
               {"name", experiment.name},
               {"artifact_location", wire_artifact_root(id, experiment.artifact_location)},
               {"lifecycle_stage", "active"},
               {"creation_time", mlflow::milliseconds(experiment.created)},
               {"last_update_time", mlflow::milliseconds(experiment.updated)}};
  for (const auto& tag : experiment.tags.items()) {
    wire["tags"].push_back({{"key", tag.key()}, {"value", tag.value().is_string() ? tag.value() : Json("")}});
  }
  return wire;
}

Result<Response> answer_experiment(const Experiment& experiment) {
  return json_response({{"experiment", wire_experiment(experiment)}});
}

Status check_location(const std::string& location) {
  if (location.empty() || (location.find("..") == location.npos && !location.starts_with("runs:") && location.size() <= 1024 &&
                           location.find_first_of("#?") == location.npos)) {
    return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("Invalid artifact location '{}': it may have no '..', '#' or '?', and be no runs:/ address", printable(location)));
}

Result<Response> create(MlflowCall& call) {
  ROOST_TRY(const std::string name, call.fields.required_text("name"));
  ROOST_CHECK(mlflow::check_experiment_name(name));
  ROOST_TRY(const std::string location, call.fields.text("artifact_location"));
  ROOST_CHECK(check_location(location));
  ROOST_TRY(const auto tags, call.fields.objects("tags"));
  Json kept = Json::object();
  for (const auto& tag : tags) {
    ROOST_TRY(const std::string key, tag.text("key"));
    ROOST_TRY(const std::string value, tag.text("value"));
    ROOST_CHECK(mlflow::check_label_name(key, "tag"));
    kept[key] = mlflow::cut(value, mlflow::kExperimentTagLimit);
  }
  Experiment made;
  const Micros now = call.app.clock.now();
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, call.workspace));
    const auto known = find_experiment(tx, call.workspace, name);
    if (known || name == kDefaultExperiment) {
      return fail(ErrorCode::kAlreadyExists, fmt::format("Experiment '{}' already exists.", printable(name)));
    }
    ROOST_TRY(made, insert_experiment(tx, call.workspace, name, now));
    made.tags = kept;
    made.artifact_location = location.starts_with("mlflow-artifacts:") ? "" : location;
    return save_experiment(tx, made);
  }));
  return json_response({{"experiment_id", wire_experiment_id(made)}});
}

Result<Response> get(MlflowCall& call) {
  ROOST_TRY(const std::string id, call.fields.required_text("experiment_id"));
  Experiment found;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(found, find_wire_experiment(tx, call.workspace, id));
    return {};
  }));
  return answer_experiment(found);
}

Result<Response> get_by_name(MlflowCall& call) {
  ROOST_TRY(const std::string name, call.fields.required_text("experiment_name"));
  Experiment found;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    auto known = name == kDefaultExperiment ? find_wire_experiment(tx, call.workspace, kDefaultExperimentId)
                                            : find_experiment(tx, call.workspace, name);
    if (!known && known.error().code == ErrorCode::kNotFound) {
      return fail(ErrorCode::kNotFound, fmt::format("Could not find experiment with name '{}'", printable(name)));
    }
    ROOST_TRY(found, std::move(known));
    return {};
  }));
  return answer_experiment(found);
}

}  // namespace

void add_mlflow_experiment_calls(MlflowCalls& calls) {
  calls.add("POST", "/experiments/create", "mlflow_create_experiment", Need::kContributorOrRun, create);
  calls.add("GET", "/experiments/get", "mlflow_get_experiment", Need::kReaderOrRun, get);
  calls.add("GET", "/experiments/get-by-name", "mlflow_get_experiment_by_name", Need::kReaderOrRun, get_by_name);
}

}  // namespace roost
