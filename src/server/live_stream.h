#pragma once

#include <memory>
#include <vector>

#include "net/http.h"
#include "server/live_topics.h"

namespace roost {

// Several topics over one connection, as server-sent events. Looks at most ten times a second, however often
// something changes, and says something every ten seconds, so that both ends notice a dead line.
std::unique_ptr<ResponseStream> live_stream(App& app, std::vector<std::unique_ptr<LiveTopic>> topics);

}  // namespace roost
