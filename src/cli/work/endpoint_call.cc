#include "cli/work/endpoint_call.h"

#include <fmt/format.h>

#include "cli/show/run_text.h"
#include "cli/work/endpoint_reference.h"

namespace roost {
namespace {

// "http://host:1/a/b" as "http://host:1" and "/a/b".
std::pair<std::string, std::string> split_url(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t slash = url.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  if (slash == std::string::npos) return {url, "/"};
  return {url.substr(0, slash), url.substr(slash)};
}

}  // namespace

Result<std::string> endpoint_key(Console& console, const Json& endpoint) {
  const std::string auth = text_field(endpoint, "auth");
  const std::string name = text_field(endpoint, "name");
  ROOST_TRY(ApiClient * client, console.client());
  if (auth == "key") {
    ROOST_TRY(const Json keys, client->get(endpoint_path(console, name, "/keys")));
    return text_field(keys, "primary");
  }
  if (auth == "token") {
    ROOST_TRY(const Json token, client->post(endpoint_path(console, name, "/token"), Json::object()));
    return text_field(token, "token");
  }
  return "";
}

Result<ClientResponse> call_endpoint(Console& console, const Json& endpoint, const EndpointRequest& request) {
  std::string url = text_field(endpoint, "scoring_uri");
  if (!request.path.empty()) {
    url = text_field(endpoint, "base_uri");
    while (url.ends_with('/')) url.pop_back();
    url += (request.path.starts_with('/') ? "" : "/") + request.path;
  }
  if (url.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} has no address yet; `roost endpoints show {}` tells how it is", text_field(endpoint, "name"),
                            text_field(endpoint, "name")));
  }
  const auto [server, target] = split_url(url);
  ROOST_TRY(const ServerAddress address, console.address());
  HttpClient::Options options;
  options.ca_file = address.ca_file;
  options.idle_timeout = std::chrono::minutes(10);
  HttpClient http(server, options);
  ClientRequest sent;
  sent.method = request.has_body ? "POST" : "GET";
  sent.target = target;
  if (request.has_body) sent.headers["Content-Type"] = request.content_type;
  if (!request.key.empty()) sent.headers["Authorization"] = "Bearer " + request.key;
  if (!request.deployment.empty()) sent.headers["azureml-model-deployment"] = request.deployment;
  sent.body = request.body;
  return http.send(sent);
}

}  // namespace roost
