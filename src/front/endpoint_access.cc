#include "front/endpoint_access.h"

#include "base/digest.h"
#include "base/text.h"

namespace roost {
namespace {

constexpr std::string_view kScheme = "bearer ";

bool is_one_of(const std::string& digest, const std::vector<std::string>& keys) {
  bool found = false;
  for (const auto& key : keys) {
    if (equal_secret(digest, key)) found = true;
  }
  return found;
}

}  // namespace

std::string why_not_authorized(const TableEndpoint& endpoint, std::string_view authorization,
                               std::int64_t unix_seconds) {
  if (endpoint.auth == TableAuth::kNone) return "";
  const bool wants_key = endpoint.auth == TableAuth::kKey;
  const std::string kind = wants_key ? "key" : "token";
  if (authorization.size() < kScheme.size() || lower(authorization.substr(0, kScheme.size())) != kScheme) {
    return "endpoint " + endpoint.name + " wants a " + kind + ": send the header 'Authorization: Bearer " +
           (wants_key ? "KEY'" : "TOKEN'");
  }
  const std::string digest = sha256_hex(trim(authorization.substr(kScheme.size())));
  if (wants_key && is_one_of(digest, endpoint.keys)) return "";
  // Tokens work beside keys: who may only read an endpoint calls it with one.
  bool is_known = false;
  bool is_valid = false;
  for (const auto& token : endpoint.tokens) {
    if (!equal_secret(digest, token.sha256)) continue;
    is_known = true;
    if (token.expires > unix_seconds) is_valid = true;
  }
  if (is_valid) return "";
  if (wants_key && !is_known) return "that is not a key of endpoint " + endpoint.name + "; get_keys() of the service shows them";
  return is_known ? "the token for endpoint " + endpoint.name + " is too old; get another with get_token()"
                  : "that is not a token of endpoint " + endpoint.name + "; get one with get_token()";
}

std::string allowed_origin(const TableEndpoint& endpoint, std::string_view origin) {
  if (origin.empty() || endpoint.cors_origins.empty()) return "";
  for (const auto& allowed : split(endpoint.cors_origins, ',')) {
    const std::string_view one = trim(allowed);
    if (one == "*") return "*";
    if (!one.empty() && one == origin) return std::string(origin);
  }
  return "";
}

}  // namespace roost
