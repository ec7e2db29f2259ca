#include <cstdlib>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "front/endpoint_access.h"
#include "front/front_server.h"

namespace roost {
namespace {

constexpr std::string_view kPrefix = "/endpoints/";
constexpr std::size_t kLongestId = 100;
// Whoever passes requests on asks so whether one with a body of that length would be taken, before it has the body.
constexpr const char* kCheckHeader = "x-roost-check";

Response page(std::string text, const char* type) {
  Response response;
  response.content_type = type;
  response.body = std::move(text);
  return response;
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

bool is_printable(std::string_view text) {
  for (const char each : text) {
    if (each <= ' ' || each > '~') return false;
  }
  return true;
}

// What a browser asks before it lets a page of another origin send something.
bool is_preflight(const Request& request) {
  return request.method == "OPTIONS" && !request.header("origin").empty() &&
         !request.header("access-control-request-method").empty();
}

Response preflight_answer(const Request& request) {
  Response response;
  response.content_type = "";
  response.headers["Access-Control-Allow-Methods"] = "GET, POST";
  response.headers["Access-Control-Max-Age"] = "600";
  if (const auto asked = request.header("access-control-request-headers"); !asked.empty()) {
    response.headers["Access-Control-Allow-Headers"] = asked;
  }
  return response;
}

}  // namespace

void allow_origin(const TableEndpoint& endpoint, const Request& request, Response& response) {
  if (endpoint.cors_origins.empty()) return;
  const std::string allowed = allowed_origin(endpoint, request.header("origin"));
  if (allowed.empty() || response.headers.contains("access-control-allow-origin")) return;
  response.headers["Access-Control-Allow-Origin"] = allowed;
  if (allowed != "*") response.headers["Vary"] = "Origin";
  response.headers["Access-Control-Expose-Headers"] = "*";
}

std::shared_ptr<FrontEndpoint> FrontServer::endpoint_of_port(std::uint16_t port) const {
  const auto place = ports_.find(port);
  if (place == ports_.end()) return nullptr;
  const auto found = endpoints_.find(place->second);
  return found == endpoints_.end() ? nullptr : found->second;
}

std::optional<FrontServer::Target> FrontServer::find_target(const Request& request) const {
  Target target;
  if (request.local_port != server_->port()) {
    target.endpoint = endpoint_of_port(request.local_port);
    target.rest = request.target;
  } else {
    const std::string_view whole = request.target;
    if (!whole.starts_with(kPrefix)) return std::nullopt;
    const std::size_t end = whole.find_first_of("/?", kPrefix.size());
    std::string slug;
    if (!percent_decode(whole.substr(kPrefix.size(), end - kPrefix.size()), slug)) return std::nullopt;
    const auto found = endpoints_.find(slug);
    if (found != endpoints_.end()) target.endpoint = found->second;
    target.prefix = whole.substr(0, end);
    target.rest = end == std::string_view::npos ? "/" : whole.substr(end);
    if (target.rest.front() == '?') target.rest.insert(0, "/");
  }
  if (!target.endpoint) return std::nullopt;
  if (!percent_decode(path_of(target.rest), target.path)) return std::nullopt;
  target.is_v2 = target.path == "/v2" || target.path.starts_with("/v2/");
  return target;
}

std::optional<Response> FrontServer::check(Request& request) {
  if (const std::string id = request.header("x-request-id"); !id.empty()) {
    if (id.size() > kLongestId || !is_printable(id)) {
      return front_error(431, fmt::format("x-request-id must have at most {} printable characters", kLongestId), false);
    }
    request.id = id;
  }
  const auto target = find_target(request);
  if (!target) {
    if (auto own = own_page(request)) return own;
    return not_found(request);
  }
  auto answer = check_target(request, *target);
  if (const std::string length = request.header(kCheckHeader); !answer && !length.empty()) {
    answer = would_take(*target, std::strtoull(length.c_str(), nullptr, 10));
  }
  if (answer) allow_origin(*target->endpoint->table, request, *answer);
  return answer;
}

std::optional<Response> FrontServer::check_target(Request& request, const Target& target) {
  const TableEndpoint& table = *target.endpoint->table;
  if (is_preflight(request) && !table.cors_origins.empty()) return preflight_answer(request);
  if (const std::string why = why_not_authorized(table, request.header("authorization"), std::time(nullptr));
      !why.empty()) {
    Response response = front_error(401, why, target.is_v2);
    response.headers["WWW-Authenticate"] = "Bearer realm=\"" + table.name + "\"";
    return response;
  }
  if (target.path == "/metrics") {
    return front_error(404, "what is measured of an endpoint is in its statistics, not at /metrics", target.is_v2);
  }
  if (const std::string wanted = request.header("azureml-model-deployment");
      !wanted.empty() && !target.endpoint->find(wanted)) {
    return front_error(404, fmt::format("endpoint {} has no deployment '{}'", table.name, printable(wanted)), target.is_v2);
  }
  if (target.endpoint->deployments().empty()) {
    return front_error(503, fmt::format("endpoint {} has no deployment; add one", table.name), target.is_v2);
  }
  request.body_limit = static_cast<std::uint64_t>(table.max_body_bytes);
  return std::nullopt;
}

Response FrontServer::would_take(const Target& target, std::uint64_t length) {
  const auto limit = static_cast<std::uint64_t>(target.endpoint->table->max_body_bytes);
  if (length > limit) {
    return front_error(413, fmt::format("the request's body is longer than the {} bytes taken here", limit), target.is_v2);
  }
  Response response;
  response.status = 204;
  return response;
}

std::optional<Response> FrontServer::own_page(const Request& request) {
  if (request.local_port != server_->port() || (request.method != "GET" && request.method != "HEAD")) return std::nullopt;
  if (request.path == "/front/healthz") {
    return page(to_text({{"generation", generation_}, {"ready", has_table_}}), "application/json");
  }
  const bool is_stats = request.path == "/front/stats";
  if (!is_stats && request.path != "/front/metrics") return std::nullopt;
  std::string shown = request.header("x-roost-front-key");
  // What Prometheus can be told to send.
  if (const auto header = request.header("authorization"); shown.empty() && header.starts_with("Bearer ")) {
    shown = header.substr(7);
  }
  if (!equal_secret(shown, options_.key)) {
    Response response = front_error(401, "send the key of front.json as X-Roost-Front-Key", false);
    response.headers["WWW-Authenticate"] = "Bearer realm=\"front\"";
    return response;
  }
  if (is_stats) return page(to_text(stats()), "application/json");
  return page(metrics(), "text/plain; version=0.0.4");
}

Response FrontServer::not_found(const Request& request) const {
  if (!has_table_) {
    return front_error(503, "this server does not know its endpoints yet; try again in a moment", false);
  }
  std::string text;
  if (request.local_port != server_->port()) {
    text = fmt::format("no endpoint has port {} any more", request.local_port);
  } else if (request.path.starts_with(kPrefix)) {
    const std::string rest = request.path.substr(kPrefix.size());
    text = fmt::format("there is no endpoint '{}'; `roost endpoints ls` shows those there are",
                       printable(rest.substr(0, rest.find('/'))));
  } else {
    text = fmt::format("there is nothing at '{}'; endpoints are at {}NAME", printable(request.path, 200), kPrefix);
  }
  Response response = front_error(404, text, false);
  response.body = to_text({{"error", text}, {"message", text}});
  return response;
}

}  // namespace roost
