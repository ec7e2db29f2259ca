#pragma once

#include <string>

#include "base/json.h"
#include "cli/console.h"
#include "cli/work/interrupt.h"

namespace roost {

// Path of the endpoint below /api/v1, and of what belongs to it: endpoint_path(console, "birds", "/keys").
std::string endpoint_path(const Console& console, const std::string& name, const std::string& rest = "");

// get_endpoint.
Result<Json> find_endpoint(Console& console, const std::string& name);
// The same; null if there is none.
Result<Json> look_for_endpoint(Console& console, const std::string& name);

// The deployment that a verb is about: the one named, else the only one. kInvalidArgument with their names if there are
// several.
Result<std::string> choose_deployment(const Json& endpoint, const std::string& named);

// Waits until the deployment serves and answers the endpoint as it is then. What is done meanwhile goes to standard
// error: one line that changes on a terminal, plain lines elsewhere. kFailedPrecondition with the server's text if it
// fails, kDeadlineExceeded after so many seconds; null if a signal came.
Result<Json> wait_for_deployment(Console& console, const std::string& endpoint, const std::string& deployment,
                                 std::int64_t seconds, InterruptWatch& watch);

}  // namespace roost
