#pragma once

#include <string>
#include <string_view>

#include "db/database.h"
#include "domain/run.h"
#include "mlflow/run_wire.h"
#include "records/workspace_records.h"

namespace roost {

// Runs and experiments as MLflow's clients name and read them.

// The experiment that is there before anybody made one. Its row comes with its first run or tag.
inline constexpr std::string_view kDefaultExperiment = "Default";
inline constexpr std::string_view kDefaultExperimentId = "0";
std::string wire_experiment_id(const Experiment& experiment);
// kNotFound for one that the workspace has not. The default one is found also without a row (row 0).
Result<Experiment> find_wire_experiment(Tx& tx, const std::string& workspace, std::string_view id);

// MLflow's clients take letters, digits, _ and - in the id of a run. One that has others is "run-" and its row to them.
std::string wire_run_id(std::string_view id, std::int64_t row);
// By either.
Result<Run> find_wire_run(Tx& tx, const std::string& workspace, std::string_view id);

// Where the files of a run are: see src/mlflow/README.md.
std::string wire_artifact_root(const std::string& experiment_id, const std::string& artifact_location);
std::string wire_run_root(const Experiment& experiment, const std::string& run_id);

// All that a client reads of a run.
Result<mlflow::WireRun> wire_run(Tx& tx, std::int64_t row);
// The same without metrics, parameters, tags, inputs and outputs.
Result<mlflow::WireRun> wire_run_info(Tx& tx, std::int64_t row);

Status put_dataset(Tx& tx, std::int64_t run, const mlflow::WireDataset& dataset);
Status put_model_use(Tx& tx, std::int64_t run, bool is_output, const mlflow::WireModelUse& use);

}  // namespace roost
