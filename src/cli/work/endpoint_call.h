#pragma once

#include <string>

#include "base/json.h"
#include "cli/console.h"
#include "net/http_client.h"

namespace roost {

// What opens an endpoint: its primary key, a new token, or "" where nothing is needed.
Result<std::string> endpoint_key(Console& console, const Json& endpoint);

struct EndpointRequest {
  std::string path;          // below the endpoint, like /v2; "" is where it scores
  std::string deployment;    // that one only; "" lets the traffic decide
  std::string key;
  std::string content_type = "application/json";
  std::string body;
  bool has_body = true;      // else it is a GET
};

// Calls it as any client would, and answers what came whatever its status.
Result<ClientResponse> call_endpoint(Console& console, const Json& endpoint, const EndpointRequest& request);

}  // namespace roost
