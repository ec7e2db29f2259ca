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

}  // namespace roost
