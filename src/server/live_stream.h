#pragma once

#include <memory>
#include <vector>

#include "net/http.h"
#include "server/live_topics.h"

namespace roost {

// Several topics over one connection, as server-sent events. Looks at most ten times a second, however often
// something changes, and says something every ten seconds, so that both ends notice a dead line.
// Ends once the secret's owner may no longer look.
std::unique_ptr<ResponseStream> live_stream(App& app, std::string secret, std::vector<std::unique_ptr<LiveTopic>> topics);

}  // namespace roost
