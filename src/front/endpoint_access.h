#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "front/routing_table.h"

namespace roost {

// Whether a request with this Authorization header may go on to the endpoint. "": it may. Else a text for whoever sent
// it; it does not tell which part of a key was wrong, nor does the time it takes.
std::string why_not_authorized(const TableEndpoint& endpoint, std::string_view authorization, std::int64_t unix_seconds);

// What "Access-Control-Allow-Origin" is for a page of that origin; "": it may not look at answers.
std::string allowed_origin(const TableEndpoint& endpoint, std::string_view origin);

}  // namespace roost
