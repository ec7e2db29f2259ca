#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace roost {

// Splits a request's target ("/runs/a%2Fb?limit=5", or with "http://host" before it) into
// request.path and request.query, decoded, and returns the path still encoded, for the router.
// kInvalidArgument if it is malformed.
Result<std::string> parse_request_target(std::string_view target, Request& request);

}  // namespace roost
