#include "cli/work/deploy_request.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"

namespace roost {
namespace {

Status check_least(const std::optional<std::int64_t>& value, std::int64_t least, const char* option) {
  if (!value || *value >= least) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("{} {} is too small; it must be {} or more", option, *value, least));
}

Status set_replicas(const DeploymentChange& change, Json& deployment) {
  if (change.replicas && (change.min || change.max)) {
    return fail(ErrorCode::kInvalidArgument,
                "--replicas N is for exactly so many, --min and --max for as many as the load needs; give one of them");
  }
  ROOST_CHECK(check_least(change.replicas, 1, "--replicas"));
  ROOST_CHECK(check_least(change.min, 0, "--min"));
  ROOST_CHECK(check_least(change.max, 1, "--max"));
  ROOST_CHECK(check_least(change.idle_seconds, 1, "--idle-seconds"));
  const auto set = [&deployment](const char* name, std::int64_t value) { deployment["replicas"][name] = value; };
  if (change.replicas) {
    set("min", *change.replicas);
    set("max", *change.replicas);
  }
  if (change.min) set("min", *change.min);
  if (change.max) set("max", *change.max);
  if (change.idle_seconds) set("idle_seconds", *change.idle_seconds);
  const Json& replicas = child(deployment, "replicas");
  if (!change.min && !change.max) return {};
  const auto number = [&replicas](const char* name) {
    const Json& value = child(replicas, name);
    return value.is_number_integer() ? value.get<std::int64_t>() : 1;
  };
  if (number("max") >= number("min")) return {};
  if (change.max) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("--max {} is less than --min {}", number("max"), number("min")));
  }
  deployment["replicas"]["max"] = number("min");
  return {};
}

}  // namespace

Status apply_change(const DeploymentChange& change, Json& deployment) {
  ROOST_CHECK(set_replicas(change, deployment));
  struct Number {
    const std::optional<std::int64_t>& value;
    std::int64_t least;
    const char* option;
    const char* part;  // "" is the deployment itself
    const char* name;
  };
  for (const Number& number : {Number{change.workers, 1, "--workers", "", "workers"},
                               Number{change.max_concurrent, 0, "--max-concurrent", "", "max_concurrent_requests"},
                               Number{change.queue_limit, 0, "--queue-limit", "", "queue_limit"},
                               Number{change.timeout_ms, 1, "--timeout-ms", "", "scoring_timeout_ms"},
                               Number{change.max_batch, 1, "--max-batch", "batching", "max_batch"},
                               Number{change.max_delay_us, 0, "--max-delay-us", "batching", "max_delay_us"},
                               Number{change.threads, 0, "--threads", "threads", "intra_op"}}) {
    ROOST_CHECK(check_least(number.value, number.least, number.option));
    if (!number.value) continue;
    (*number.part ? deployment[number.part] : deployment)[number.name] = *number.value;
  }
  for (const std::string& word : change.variables) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("--env \"{}\" must be like KEY=value", printable(word)));
    }
    deployment["environment_variables"][word.substr(0, equals)] = word.substr(equals + 1);
  }
  return {};
}

Json deployment_to_send(const Json& deployment) {
  Json out = Json::object();
  for (const char* name : {"runtime", "code", "environment", "environment_variables", "replicas", "workers",
                           "max_concurrent_requests", "queue_limit", "queue_wait_ms", "scoring_timeout_ms", "batching", "threads",
                           "description", "tags", "properties"}) {
    if (const Json& value = child(deployment, name); !value.is_null()) out[name] = value;
  }
  Json models = Json::array();
  for (const Json& model : child(deployment, "models")) {
    models.push_back(model.is_object() ? Json(text_field(model, "id")) : model);
  }
  out["models"] = models;
  return out;
}

Result<Json> parse_shares(const std::vector<std::string>& words, const char* option) {
  Json shares = Json::object();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string text = equals == std::string::npos ? "" : word.substr(equals + 1);
    std::int64_t percent = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (equals == 0 || text.empty() || error != std::errc() || end != text.data() + text.size() || percent < 0 || percent > 100) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} \"{}\" must be a deployment and its percent, like blue=90", option, printable(word)));
    }
    shares[word.substr(0, equals)] = percent;
  }
  return shares;
}

Result<Json> shares_with(const Json& traffic, const std::string& deployment, std::int64_t percent) {
  if (percent < 0 || percent > 100) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("--traffic {} is no percent; it must be from 0 to 100", percent));
  }
  Json shares = Json::object();
  std::int64_t others = 0;
  for (const auto& [name, value] : traffic.items()) {
    if (name != deployment && value.is_number()) others += value.get<std::int64_t>();
  }
  const std::int64_t left = 100 - percent;
  if (others == 0 && left > 0) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("no other deployment takes the {} % that are left; give --traffic 100", left));
  }
  std::int64_t given = 0;
  std::string largest;
  for (const auto& [name, value] : traffic.items()) {
    if (name == deployment || !value.is_number()) continue;
    const std::int64_t share = value.get<std::int64_t>() * left / std::max<std::int64_t>(others, 1);
    shares[name] = share;
    given += share;
    if (largest.empty() || value.get<std::int64_t>() > traffic[largest].get<std::int64_t>()) largest = name;
  }
  if (!largest.empty()) shares[largest] = shares[largest].get<std::int64_t>() + left - given;
  shares[deployment] = percent;
  return shares;
}

Status check_auth(const std::string& auth) {
  if (auth.empty() || auth == "none" || auth == "key" || auth == "token") return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("--auth {}: it is none (anybody may call), key or token", printable(auth)));
}

}  // namespace roost
