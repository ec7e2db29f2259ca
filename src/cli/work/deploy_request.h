#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace roost {

// How an endpoint's deployment is to run, as `roost deploy` and `roost endpoints update` take it. What is not given
// stays as the server has it.
struct DeploymentChange {
  std::optional<std::int64_t> replicas;
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
  std::optional<std::int64_t> idle_seconds;
  std::optional<std::int64_t> workers;
  std::optional<std::int64_t> max_concurrent;
  std::optional<std::int64_t> queue_limit;
  std::optional<std::int64_t> max_batch;
  std::optional<std::int64_t> max_delay_us;
  std::optional<std::int64_t> timeout_ms;
  std::optional<std::int64_t> threads;
  std::vector<std::string> variables;  // "K=V"
};

// Puts the change into a DEPLOYMENT of the API. Refuses counts below what they can be, and --replicas beside --min.
Status apply_change(const DeploymentChange& change, Json& deployment);

// A DEPLOYMENT as the API takes it, of one as the API answers it: without what only the server says.
Json deployment_to_send(const Json& deployment);

// "blue=90 green=10" as {"blue": 90, "green": 10}; each from 0 to 100. `option` names them in errors.
Result<Json> parse_shares(const std::vector<std::string>& words, const char* option);

// The shares after `deployment` gets `percent`: the others keep their proportion in what is left.
Result<Json> shares_with(const Json& traffic, const std::string& deployment, std::int64_t percent);

Status check_auth(const std::string& auth);  // "", "none", "key" or "token"

}  // namespace roost
