#pragma once

#include <string>

#include "records/logged_model_records.h"
#include "records/workspace_records.h"
#include "server/routes/mlflow_calls.h"

namespace roost {

// Where the files of a logged model are, as its clients are told.
Result<std::string> logged_model_uri(Tx& tx, const LoggedModel& model);

// The experiment of that id, to be written to: with a row, and not in the bin.
Result<Experiment> open_wire_experiment(Tx& tx, const MlflowCall& call, const std::string& id);

}  // namespace roost
