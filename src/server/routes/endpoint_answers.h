#pragma once

#include <string>

#include "server/endpoint_details.h"
#include "server/routes/routes.h"

namespace roost {

EndpointView endpoint_view(App& app);
// The endpoint as it is now.
Result<Response> endpoint_answer(App& app, const std::string& workspace, const std::string& name, const Principal& who,
                                 int status = 200);

}  // namespace roost
