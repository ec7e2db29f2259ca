#include "score/answer_headers.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kLongestId = 100;

tl::unexpected<Error> too_long(std::string_view which) {
  return fail(ErrorCode::kResourceExhausted, std::string(which) + " must not exceed 100 characters");
}

auto find_header(Response& response, std::string_view name) {
  const std::string wanted = lower(name);
  return std::ranges::find_if(response.headers, [&](const auto& header) { return lower(header.first) == wanted; });
}

}  // namespace

Result<RequestIds> read_ids(const Request& request) {
  RequestIds ids;
  ids.request = request.header("x-request-id");
  if (ids.request.empty()) ids.request = request.id;
  if (ids.request.size() > kLongestId) return too_long("x-request-id");
  ids.client = request.header("x-ms-client-request-id");
  ids.legacy = request.header("x-ms-request-id");
  if (ids.client.size() > kLongestId || ids.legacy.size() > kLongestId) {
    return too_long("x-ms-request-id and x-ms-client-request-id");
  }
  if (ids.client.empty()) ids.client = ids.legacy;
  if (ids.legacy.empty()) ids.legacy = ids.client.empty() ? ids.request : ids.client;
  ids.trace = request.header("traceid");
  return ids;
}

CorsRule::CorsRule(std::string_view origins) {
  for (const std::string& each : split(origins, ',')) {
    const std::string_view origin = trim(each);
    if (origin == "*") any_ = true;
    if (!origin.empty()) origins_.push_back(lower(origin));
  }
}

void CorsRule::apply(const Request& request, Response& response) const {
  if (origins_.empty()) return;
  const std::string origin = request.header("origin");
  if (!any_) add_header(response, "Vary", "Origin");
  const bool is_known = !origin.empty() && std::ranges::find(origins_, lower(origin)) != origins_.end();
  if (!any_ && !is_known) return;
  set_header(response, "Access-Control-Allow-Origin", any_ ? "*" : origin);
  if (request.method != "OPTIONS" || request.header("access-control-request-method").empty()) return;
  set_header(response, "Access-Control-Allow-Methods", "GET, POST");
  const std::string wanted = request.header("access-control-request-headers");
  if (!wanted.empty()) set_header(response, "Access-Control-Allow-Headers", wanted);
}

void set_header(Response& response, std::string_view name, std::string value) {
  for (auto at = find_header(response, name); at != response.headers.end(); at = find_header(response, name)) {
    response.headers.erase(at);
  }
  response.headers[std::string(name)] = std::move(value);
}

void add_header(Response& response, std::string_view name, std::string_view value) {
  const auto at = find_header(response, name);
  if (at == response.headers.end()) {
    response.headers[std::string(name)] = value;
  } else {
    at->second.append(", ").append(value);
  }
}

void set_id_headers(Response& response, const RequestIds& ids) {
  // X-Request-Id is set by the HTTP server.
  set_header(response, "x-ms-request-id", ids.legacy);
  if (!ids.client.empty()) set_header(response, "x-ms-client-request-id", ids.client);
  if (!ids.trace.empty()) set_header(response, "TraceId", ids.trace);
  set_header(response, "x-ms-server-version", "roost/" ROOST_VERSION);
}

bool is_reserved_header(std::string_view name) {
  constexpr std::array<std::string_view, 8> kReserved = {"connection", "content-length", "date", "keep-alive",
                                                         "transfer-encoding", "upgrade", "x-request-id", "trailer"};
  return std::ranges::find(kReserved, name) != kReserved.end();
}

Response message_response(int status, std::string_view message) {
  Response response;
  response.status = status;
  response.body = to_text({{"message", message}});
  return response;
}

}  // namespace roost
