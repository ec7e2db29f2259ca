#pragma once

#include <memory>
#include <string>

#include "net/http.h"
#include "server/app.h"

namespace roost {

// An answer that goes on for as long as the caller may have it: ends within about a second of the caller's token being
// revoked or expired, of the logout, and of the end of the run or node whose token it is.
std::unique_ptr<ResponseStream> watched_stream(App& app, std::string secret, std::unique_ptr<ResponseStream> stream);

}  // namespace roost
