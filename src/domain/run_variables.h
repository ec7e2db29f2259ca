#pragma once

#include <map>
#include <string>

#include "domain/run.h"

namespace roost {

// The environment variables by which a script knows its run, as Azure ML names them. The runner adds
// those that only it knows (addresses and paths on the node).
std::map<std::string, std::string> run_variables(const Run& run, const std::string& workspace_id,
                                                 const std::string& experiment_id,
                                                 const std::string& root_run, const std::string& token,
                                                 Micros token_expiry);

// What makes MLflow's client log into the run, for a run that names no tracking address of its own: one that does is given
// no token for it. The ids are those that MLflow's clients know. $ROOST_URL is what the node reaches the server by.
void add_mlflow_variables(Json& variables, const std::string& workspace, const std::string& run,
                          const std::string& experiment, const std::string& token);

}  // namespace roost
