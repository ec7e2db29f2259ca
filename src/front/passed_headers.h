#pragma once

#include <string>

#include "net/http.h"
#include "net/http_client.h"

namespace roost {

// Lines of the headers of a request that a replica is to see: not those about this connection, nor what the client
// shows to be let in, nor any that the front itself adds.
std::string passed_request_headers(const Request& request);

// Into `response` what a client is to see of a replica's answer.
void pass_response_headers(ClientResponse& answer, Response& response);

}  // namespace roost
