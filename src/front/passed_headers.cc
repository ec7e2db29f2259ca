#include "front/passed_headers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace roost {
namespace {

// In alphabetical order, both.
constexpr std::array<std::string_view, 14> kNotToReplicas = {
    "authorization",       "azureml-model-deployment", "connection",   "content-length", "cookie",
    "expect",              "keep-alive",               "proxy-authorization", "proxy-connection", "te",
    "trailer",             "transfer-encoding",        "upgrade",      "x-request-id"};
constexpr std::array<std::string_view, 11> kNotToClients = {
    "connection", "content-length", "content-type", "date",    "keep-alive",  "proxy-authenticate",
    "te",         "trailer",        "transfer-encoding", "upgrade", "x-request-id"};

template <class Names>
bool is_in(const Names& names, std::string_view name) {
  return std::binary_search(names.begin(), names.end(), name);
}

// Those that a Connection header names are about the connection, too.
std::vector<std::string> named_by(const std::map<std::string, std::string>& headers) {
  std::vector<std::string> names;
  const auto connection = headers.find("connection");
  if (connection == headers.end()) return names;
  for (const auto& name : split(connection->second, ',')) names.push_back(lower(trim(name)));
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string passed_request_headers(const Request& request) {
  std::string lines;
  lines.reserve(512);
  const auto named = named_by(request.headers);
  for (const auto& [name, value] : request.headers) {
    if (is_in(kNotToReplicas, name) || name.starts_with("x-roost-") || contains(named, name)) continue;
    lines.append(name).append(": ").append(value).append("\r\n");
  }
  return lines;
}

void pass_response_headers(ClientResponse& answer, Response& response) {
  const auto type = answer.headers.find("content-type");
  response.content_type = type == answer.headers.end() ? "" : std::move(type->second);
  const auto named = named_by(answer.headers);
  for (auto& [name, value] : answer.headers) {
    if (is_in(kNotToClients, name) || name.starts_with("x-roost-") || contains(named, name)) continue;
    response.headers.emplace(name, std::move(value));
  }
}

}  // namespace roost
