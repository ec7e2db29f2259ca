#include "front/routing_table.h"

#include <arpa/inet.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/json.h"

namespace roost {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kDay = 24 * 3600 * 1000;
constexpr std::int64_t kMostBody = 16LL << 30;

tl::unexpected<Error> wrong(const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, "the routing table is wrong: " + why);
}

bool is_ip_address(const std::string& text) {
  in6_addr place{};
  return ::inet_pton(AF_INET, text.c_str(), &place) == 1 || ::inet_pton(AF_INET6, text.c_str(), &place) == 1;
}

Result<TableReplica> parse_replica(const Json& item) {
  TableReplica replica;
  JsonFields fields(item, "a replica");
  replica.run = fields.string("run");
  replica.address = fields.required_string("address");
  replica.port = static_cast<std::uint16_t>(fields.integer("port", 0, 1, 65'535));
  replica.key = fields.string("key");
  ROOST_CHECK(fields.done_so_far());
  if (!is_ip_address(replica.address)) return wrong("a replica's address is '" + replica.address + "', not an IP address");
  if (replica.port == 0) return wrong("a replica has no port");
  return replica;
}

Result<TableDeployment> parse_deployment(const Json& item) {
  TableDeployment deployment;
  JsonFields fields(item, "a deployment");
  deployment.name = fields.required_string("name");
  deployment.revision = fields.integer("revision", 0, 0, kMost);
  deployment.version = fields.string("version");
  deployment.max_concurrent_requests = fields.integer("max_concurrent_requests", 1, 0, 1'000'000);
  deployment.is_starting = fields.boolean("starting", false);
  const Json replicas = fields.array("replicas");
  ROOST_CHECK(fields.done_so_far());
  for (const Json& replica : replicas) {
    ROOST_TRY(TableReplica parsed, parse_replica(replica));
    deployment.replicas.push_back(std::move(parsed));
  }
  return deployment;
}

Result<std::vector<TableShare>> parse_shares(const Json& items, const char* what, std::int64_t most) {
  std::vector<TableShare> shares;
  std::int64_t sum = 0;
  for (const Json& item : items) {
    JsonFields fields(item, what);
    TableShare share;
    share.deployment = fields.required_string("deployment");
    share.percent = fields.integer("percent", 0, 0, 100);
    ROOST_CHECK(fields.done_so_far());
    sum += share.percent;
    shares.push_back(std::move(share));
  }
  if (sum > most) return wrong(std::string(what) + ": together they have more than 100 percent");
  return shares;
}

Result<TableAuth> parse_auth(const std::string& text) {
  if (text == "none") return TableAuth::kNone;
  if (text == "key") return TableAuth::kKey;
  if (text == "token") return TableAuth::kToken;
  return wrong("auth '" + text + "' is neither none, key nor token");
}

Status read_secrets(TableEndpoint& endpoint, std::vector<std::string> keys, const Json& tokens) {
  for (const auto& key : keys) {
    if (!is_digest(key)) return wrong("a key of " + endpoint.name + " is no SHA-256");
  }
  endpoint.keys = std::move(keys);
  for (const Json& item : tokens) {
    JsonFields fields(item, "a token");
    TableToken token{fields.required_string("sha256"), fields.integer("expires", 0, 0, kMost)};
    ROOST_CHECK(fields.done_so_far());
    if (!is_digest(token.sha256)) return wrong("a token of " + endpoint.name + " is no SHA-256");
    endpoint.tokens.push_back(std::move(token));
  }
  return {};
}

Status check_names(const TableEndpoint& endpoint) {
  std::set<std::string> names;
  for (const auto& deployment : endpoint.deployments) {
    if (!names.insert(deployment.name).second) {
      return wrong(endpoint.name + " has the deployment " + deployment.name + " twice");
    }
  }
  const auto is_known = [&](const std::string& name) { return names.contains(name); };
  for (const auto* shares : {&endpoint.traffic, &endpoint.shadow}) {
    for (const auto& share : *shares) {
      if (!is_known(share.deployment)) return wrong(endpoint.name + " has no deployment " + share.deployment + " to send to");
    }
  }
  if (!endpoint.default_deployment.empty() && !is_known(endpoint.default_deployment)) {
    return wrong(endpoint.name + " has no deployment " + endpoint.default_deployment + ", its default");
  }
  return {};
}

Result<TableEndpoint> parse_endpoint(const Json& item) {
  TableEndpoint endpoint;
  JsonFields fields(item, "an endpoint");
  endpoint.workspace = fields.string("workspace");
  endpoint.name = fields.required_string("name");
  endpoint.slug = fields.required_string("slug");
  endpoint.port = static_cast<std::uint16_t>(fields.integer("port", 0, 0, 65'535));
  const std::string auth = fields.required_string("auth");
  std::vector<std::string> keys = fields.strings("keys");
  const Json tokens = fields.array("tokens");
  endpoint.maps_500_to_502 = fields.boolean("maps_500_to_502", true);
  endpoint.max_body_bytes = fields.integer("max_body_bytes", endpoint.max_body_bytes, 0, kMostBody);
  endpoint.scoring_timeout_ms = fields.integer("scoring_timeout_ms", endpoint.scoring_timeout_ms, 1, kDay);
  endpoint.queue_wait_ms = fields.integer("queue_wait_ms", endpoint.queue_wait_ms, 0, kDay);
  endpoint.queue_limit = fields.integer("queue_limit", endpoint.queue_limit, 0, 1'000'000);
  endpoint.hold_ms = fields.integer("hold_ms", endpoint.hold_ms, 0, kDay);
  endpoint.cors_origins = fields.string("cors_origins");
  endpoint.default_deployment = fields.string("default");
  const Json traffic = fields.array("traffic");
  const Json shadow = fields.array("shadow");
  const Json deployments = fields.array("deployments");
  ROOST_CHECK(fields.done_so_far());
  ROOST_TRY(endpoint.auth, parse_auth(auth));
  ROOST_CHECK(read_secrets(endpoint, std::move(keys), tokens));
  ROOST_TRY(endpoint.traffic, parse_shares(traffic, "the traffic of an endpoint", 100));
  ROOST_TRY(endpoint.shadow, parse_shares(shadow, "the shadow of an endpoint", kMost));
  for (const Json& deployment : deployments) {
    ROOST_TRY(TableDeployment parsed, parse_deployment(deployment));
    endpoint.deployments.push_back(std::move(parsed));
  }
  ROOST_CHECK(check_names(endpoint));
  return endpoint;
}

}  // namespace

const TableDeployment* TableEndpoint::find(std::string_view deployment) const {
  const auto found = std::find_if(deployments.begin(), deployments.end(),
                                  [&](const TableDeployment& other) { return other.name == deployment; });
  return found == deployments.end() ? nullptr : &*found;
}

Result<RoutingTable> parse_routing_table(std::string_view text) {
  ROOST_TRY(const Json document, parse_json(text, "the routing table"));
  JsonFields fields(document, "the routing table");
  RoutingTable table;
  table.generation = fields.integer("generation", 0, 0, kMost);
  const Json endpoints = fields.array("endpoints");
  ROOST_CHECK(fields.done_so_far());
  std::set<std::string> slugs;
  for (const Json& item : endpoints) {
    ROOST_TRY(TableEndpoint endpoint, parse_endpoint(item));
    if (!slugs.insert(endpoint.slug).second) return wrong("two endpoints have the slug " + endpoint.slug);
    table.endpoints.push_back(std::move(endpoint));
  }
  return table;
}

}  // namespace roost
