#include <fmt/format.h>

#include "server/live_stream.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

constexpr std::size_t kMostTopics = 100;

Result<Response> follow(App& app, const Request& request, const Principal& who) {
  const auto names = text_queries(request, "topic");
  if (names.empty() || names.size() > kMostTopics) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("there are {} topics; name 1 to {}, for example topic=runs/default", names.size(), kMostTopics));
  }
  std::vector<std::unique_ptr<LiveTopic>> topics;
  for (const auto& name : names) {
    ROOST_TRY(auto topic, live_topic(app, who, name));
    topics.push_back(std::move(topic));
  }
  Response response;
  response.content_type = "text/event-stream";
  response.stream = live_stream(app, std::move(topics));
  return response;
}

}  // namespace

void add_live_routes(Router& router, App& app) {
  add_operation(router, app, "GET", "/api/v1/live", "follow_live", Need::kReader,
                [&app](Request& request, const Principal& who) { return follow(app, request, who); });
}

}  // namespace roost
