#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace roost {

inline constexpr std::int64_t kMostBody = 100LL << 20;  // of a request to an endpoint
inline constexpr const char* kEndpointCompute = "endpoints";  // where replicas run unless it is said otherwise

// How many copies of a deployment there are: between the two by load, and none after so long without a request if `min` is 0.
struct ReplicaRange {
  std::int64_t min = 1;
  std::int64_t max = 1;
  std::int64_t target_utilization = 70;  // percent of what the replicas can have under way at a time
  std::int64_t idle_seconds = 300;
};

// What answers under one name of an endpoint: models, and the code in front of them if there is any.
struct DeploymentSpec {
  std::string name = "default";
  std::vector<std::string> models;  // "name:version"
  std::string runtime;              // "onnx", "python" or "sklearn"; "" until the models were looked at
  std::string snapshot;             // of the code; "" if there is none
  std::string entry_script;
  std::string source_directory;
  Json environment = Json::object();
  Json environment_variables = Json::object();
  ReplicaRange replicas;
  std::int64_t workers = 1;
  std::optional<std::int64_t> max_concurrent_requests;  // of one replica; 0: any number
  std::int64_t queue_limit = 256;
  std::int64_t queue_wait_ms = 30'000;
  std::int64_t scoring_timeout_ms = 60'000;
  std::int64_t max_batch = 32;
  std::int64_t max_delay_us = 0;
  std::int64_t intra_op = 0;
  std::string description;
  Json tags = Json::object();
  Json properties = Json::object();
  std::int64_t revision = 0;  // of the endpoint, when this was last changed

  // How many requests one replica has under way at most; 0: any number.
  std::int64_t concurrency() const { return max_concurrent_requests.value_or(runtime == "onnx" ? 0 : workers); }
};

// How an endpoint is to be. Who asked for it (`kind`) decides what is not said.
struct EndpointSpec {
  std::string name;
  std::string kind = "roost";  // "aci", "aks", "local"
  std::string description;
  Json tags = Json::object();
  Json properties = Json::object();
  Json settings = Json::object();  // kept as given
  std::string compute = kEndpointCompute;
  std::string auth;  // "none", "key" or "token"
  std::int64_t port = 0;  // of its own, besides its path at the front
  std::map<std::string, std::int64_t> traffic;  // deployment -> percent; what is left goes to the default
  std::map<std::string, std::int64_t> shadow;   // deployment -> percent of the requests that it is sent a copy of
  std::string default_deployment;
  std::vector<DeploymentSpec> deployments;

  const DeploymentSpec* find(std::string_view deployment) const;
};

struct NewEndpoint {
  EndpointSpec spec;
  std::string primary_key;  // "": a random one
  std::string secondary_key;
  bool overwrite = false;
};

// All from untrusted JSON: what is wrong is refused by name.
Result<NewEndpoint> parse_new_endpoint(const Json& body);
Result<DeploymentSpec> parse_deployment(const Json& body, const std::string& name);
// Changes what is there, and answers the keys if they are.
struct EndpointUpdate {
  std::optional<std::string> primary_key;
  std::optional<std::string> secondary_key;
};
Result<EndpointUpdate> apply_endpoint_update(const Json& body, EndpointSpec& spec);

// Whether traffic and shadow name deployments and add up. Gives all traffic to the only one if nothing was said.
Status settle_traffic(EndpointSpec& spec);

Json deployment_json(const DeploymentSpec& deployment);
Json endpoint_spec_json(const EndpointSpec& spec);
// What endpoint_spec_json() wrote.
Result<EndpointSpec> stored_endpoint(const Json& stored);

// "name:version" -> its parts; version 0 if none is named, which is the newest.
struct ModelReference {
  std::string name;
  std::int64_t version = 0;
};
Result<ModelReference> parse_model_reference(const std::string& text);

Status check_endpoint_name(std::string_view name);
// A key that a caller chose; "" is none. `what` names it in the error.
Status check_endpoint_key(const std::string& key, std::string_view what);

}  // namespace roost
