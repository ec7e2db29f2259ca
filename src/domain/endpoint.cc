#include "domain/endpoint.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "domain/names.h"
#include "domain/run_spec.h"

namespace roost {
namespace {

constexpr std::int64_t kMostModels = 1000;
constexpr std::int64_t kMostDeployments = 20;
constexpr std::int64_t kMostReplicas = 64;
constexpr std::size_t kMostKey = 200;

Status check_name(std::string_view name, std::string_view what, std::size_t least) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  const bool fits = name.size() >= least && name.size() <= 32 && std::all_of(name.begin(), name.end(), allowed) &&
                    name.front() >= 'a' && name.front() <= 'z';
  if (fits) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" cannot name {}: use {} to 32 lower-case letters, digits and '-', starting with a letter",
                          printable(name), what, least));
}

Result<std::map<std::string, std::int64_t>> percents(const Json& object, std::string_view what) {
  std::map<std::string, std::int64_t> shares;
  for (const auto& item : object.items()) {
    const auto* percent = item.value().get_ptr<const Json::number_integer_t*>();
    if (!percent || *percent < 0 || *percent > 100) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the {} of \"{}\" must be a whole number from 0 to 100", what, printable(item.key())));
    }
    shares[item.key()] = *percent;
  }
  return shares;
}

Result<ReplicaRange> parse_range(const Json& object) {
  JsonFields fields(object, "\"replicas\"");
  ReplicaRange range;
  range.min = fields.integer("min", range.min, 0, kMostReplicas);
  range.max = fields.integer("max", std::max<std::int64_t>(range.min, 1), 1, kMostReplicas);
  range.target_utilization = fields.integer("target_utilization", range.target_utilization, 1, 100);
  range.idle_seconds = fields.integer("idle_seconds", range.idle_seconds, 1, 86'400);
  ROOST_CHECK(fields.done());
  if (range.max < range.min) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"replicas\" has a \"max\" of {} below its \"min\" of {}", range.max, range.min));
  }
  return range;
}

Status parse_code(const Json& object, DeploymentSpec& deployment) {
  JsonFields fields(object, "\"code\"");
  deployment.snapshot = fields.required_string("snapshot");
  deployment.entry_script = fields.required_string("entry_script");
  deployment.source_directory = fields.string("source_directory");
  ROOST_CHECK(fields.done());
  if (!is_digest(deployment.snapshot)) {
    return fail(ErrorCode::kInvalidArgument, "\"snapshot\" of the code must be 64 lower-case hex digits");
  }
  for (const std::string& path : {deployment.entry_script, deployment.source_directory}) {
    if (path.empty() || is_safe_relative_path(path)) continue;
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" must be a path inside the code", printable(path)));
  }
  return {};
}

std::string default_auth(const std::string& kind) { return kind == "aci" || kind == "local" ? "none" : "key"; }

Status check_auth(const std::string& auth) {
  if (auth == "none" || auth == "key" || auth == "token") return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("\"auth\" is none, key or token, not \"{}\"", printable(auth)));
}

Status check_labels_of(const Json& tags, const Json& properties, const std::string& description) {
  ROOST_CHECK(check_labels(tags, "tags"));
  ROOST_CHECK(check_labels(properties, "properties"));
  if (description.size() <= 10'000) return {};
  return fail(ErrorCode::kInvalidArgument, "the description is longer than 10,000 bytes");
}

}  // namespace

const DeploymentSpec* EndpointSpec::find(std::string_view deployment) const {
  const auto found = std::find_if(deployments.begin(), deployments.end(),
                                  [&](const DeploymentSpec& one) { return one.name == deployment; });
  return found == deployments.end() ? nullptr : &*found;
}

Status check_endpoint_name(std::string_view name) { return check_name(name, "an endpoint", 3); }

Status check_endpoint_key(const std::string& key, std::string_view what) {
  const auto plain = [](char c) { return c > ' ' && c < 0x7f; };
  if (key.empty() || (key.size() >= 8 && key.size() <= kMostKey && std::all_of(key.begin(), key.end(), plain))) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" must be 8 to {} characters that can be typed, without blanks", what, kMostKey));
}

Result<ModelReference> parse_model_reference(const std::string& text) {
  ModelReference reference;
  const auto colon = text.rfind(':');
  reference.name = text.substr(0, colon);
  ROOST_CHECK(check_registry_name(reference.name, "model"));
  if (colon == std::string::npos) return reference;
  const char* begin = text.data() + colon + 1;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(begin, end, reference.version);
  if (error == std::errc() && at == end && reference.version >= 1) return reference;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" names no model; write it like birds or birds:3", printable(text)));
}

Result<DeploymentSpec> parse_deployment(const Json& body, const std::string& name) {
  JsonFields fields(body, "the deployment");
  DeploymentSpec deployment;
  deployment.name = fields.string("name", name);
  deployment.models = fields.strings("models");
  deployment.runtime = fields.string("runtime");
  const bool has_code = fields.has("code");
  const Json code = fields.object("code");
  deployment.environment = fields.object("environment");
  deployment.environment_variables = fields.string_map("environment_variables");
  const Json range = fields.object("replicas");
  deployment.workers = fields.integer("workers", deployment.workers, 1, 64);
  if (fields.has("max_concurrent_requests")) {
    deployment.max_concurrent_requests = fields.integer("max_concurrent_requests", 0, 0, 10'000);
  }
  deployment.queue_limit = fields.integer("queue_limit", deployment.queue_limit, 0, 100'000);
  deployment.queue_wait_ms = fields.integer("queue_wait_ms", deployment.queue_wait_ms, 0, 3'600'000);
  deployment.scoring_timeout_ms = fields.integer("scoring_timeout_ms", deployment.scoring_timeout_ms, 1, 86'400'000);
  const Json batching = fields.object("batching");
  const Json threads = fields.object("threads");
  deployment.description = fields.string("description");
  deployment.tags = fields.string_map("tags", true);
  deployment.properties = fields.string_map("properties");
  ROOST_CHECK(fields.done());
  if (!name.empty() && deployment.name != name) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"name\" is \"{}\", but the path says \"{}\"", printable(deployment.name), printable(name)));
  }
  if (deployment.name.empty()) deployment.name = "default";
  ROOST_CHECK(check_name(deployment.name, "a deployment", 1));
  if (static_cast<std::int64_t>(deployment.models.size()) > kMostModels) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("a deployment has at most {} models", kMostModels));
  }
  for (const auto& model : deployment.models) ROOST_CHECK(parse_model_reference(model));
  const std::string& runtime = deployment.runtime;
  if (!runtime.empty() && runtime != "onnx" && runtime != "python" && runtime != "sklearn") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"runtime\" is onnx, python or sklearn, not \"{}\"", printable(runtime)));
  }
  if (has_code) ROOST_CHECK(parse_code(code, deployment));
  if (has_code && !runtime.empty() && runtime != "python") {
    return fail(ErrorCode::kInvalidArgument, fmt::format("the runtime {} takes no \"code\"; leave one of the two out", runtime));
  }
  ROOST_TRY(deployment.replicas, parse_range(range));
  JsonFields batch(batching, "\"batching\"");
  deployment.max_batch = batch.integer("max_batch", deployment.max_batch, 1, 4096);
  deployment.max_delay_us = batch.integer("max_delay_us", deployment.max_delay_us, 0, 1'000'000);
  ROOST_CHECK(batch.done());
  JsonFields thread(threads, "\"threads\"");
  deployment.intra_op = thread.integer("intra_op", 0, 0, 1024);
  ROOST_CHECK(thread.done());
  ROOST_CHECK(check_labels_of(deployment.tags, deployment.properties, deployment.description));
  return deployment;
}

Status settle_traffic(EndpointSpec& spec) {
  if (!spec.find(spec.default_deployment)) {
    spec.default_deployment = spec.deployments.empty() ? "" : spec.deployments.front().name;
  }
  std::int64_t sum = 0;
  for (const auto* shares : {&spec.traffic, &spec.shadow}) {
    for (const auto& [name, percent] : *shares) {
      if (shares == &spec.traffic) sum += percent;
      if (!spec.find(name)) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("\"{}\" names the deployment \"{}\", which {} does not have",
                                shares == &spec.traffic ? "traffic" : "shadow", printable(name), spec.name));
      }
    }
  }
  if (sum > 100) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"traffic\" adds up to {} percent; at most 100", sum));
  }
  if (sum < 100 && !spec.deployments.empty()) spec.traffic[spec.default_deployment] += 100 - sum;
  return {};
}

Result<NewEndpoint> parse_new_endpoint(const Json& body) {
  JsonFields fields(body, "the endpoint");
  NewEndpoint made;
  EndpointSpec& spec = made.spec;
  spec.name = fields.required_string("name");
  spec.kind = fields.string("kind", spec.kind);
  spec.description = fields.string("description");
  spec.tags = fields.string_map("tags", true);
  spec.properties = fields.string_map("properties");
  spec.settings = fields.object_as_given("settings");
  spec.compute = fields.string("compute", spec.compute);
  spec.auth = fields.string("auth", default_auth(spec.kind));
  made.primary_key = fields.string("primary_key");
  made.secondary_key = fields.string("secondary_key");
  spec.port = fields.integer("port", 0, 0, 65535);
  made.overwrite = fields.boolean("overwrite", false);
  const Json traffic = fields.object("traffic");
  const Json shadow = fields.object("shadow");
  spec.default_deployment = fields.string("default");
  const Json deployments = fields.array("deployments");
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_endpoint_name(spec.name));
  const std::set<std::string> kinds = {"roost", "aci", "aks", "local"};
  if (!kinds.contains(spec.kind)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"kind\" is roost, aci, aks or local, not \"{}\"", printable(spec.kind)));
  }
  ROOST_CHECK(check_compute_name(spec.compute));
  ROOST_CHECK(check_auth(spec.auth));
  ROOST_CHECK(check_endpoint_key(made.primary_key, "primary_key"));
  ROOST_CHECK(check_endpoint_key(made.secondary_key, "secondary_key"));
  ROOST_CHECK(check_labels_of(spec.tags, spec.properties, spec.description));
  if (to_text(spec.settings).size() > 100'000) return fail(ErrorCode::kInvalidArgument, "\"settings\" is over 100,000 bytes");
  if (static_cast<std::int64_t>(deployments.size()) > kMostDeployments) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("an endpoint has at most {} deployments", kMostDeployments));
  }
  for (const auto& item : deployments) {
    ROOST_TRY(DeploymentSpec deployment, parse_deployment(item, ""));
    if (spec.find(deployment.name)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("two deployments are named {}", deployment.name));
    }
    spec.deployments.push_back(std::move(deployment));
  }
  ROOST_TRY(spec.traffic, percents(traffic, "traffic"));
  ROOST_TRY(spec.shadow, percents(shadow, "shadow"));
  ROOST_CHECK(settle_traffic(spec));
  return made;
}

Result<EndpointUpdate> apply_endpoint_update(const Json& body, EndpointSpec& spec) {
  JsonFields fields(body, "the endpoint");
  EndpointUpdate update;
  if (fields.has("description")) spec.description = fields.string("description");
  if (fields.has("tags")) spec.tags = fields.string_map("tags", true);
  const Json properties = fields.string_map("properties");
  for (const auto& item : properties.items()) spec.properties[item.key()] = item.value();
  const Json settings = fields.object_as_given("settings");
  for (const auto& item : settings.items()) spec.settings[item.key()] = item.value();
  spec.auth = fields.string("auth", spec.auth);
  if (fields.has("primary_key")) update.primary_key = fields.string("primary_key");
  if (fields.has("secondary_key")) update.secondary_key = fields.string("secondary_key");
  spec.port = fields.integer("port", spec.port, 0, 65535);
  spec.default_deployment = fields.string("default", spec.default_deployment);
  if (fields.has("traffic")) {
    ROOST_TRY(spec.traffic, percents(fields.object("traffic"), "traffic"));
  }
  if (fields.has("shadow")) {
    ROOST_TRY(spec.shadow, percents(fields.object("shadow"), "shadow"));
  }
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_auth(spec.auth));
  ROOST_CHECK(check_endpoint_key(update.primary_key.value_or(""), "primary_key"));
  ROOST_CHECK(check_endpoint_key(update.secondary_key.value_or(""), "secondary_key"));
  ROOST_CHECK(check_labels_of(spec.tags, spec.properties, spec.description));
  if (to_text(spec.settings).size() > 100'000) return fail(ErrorCode::kInvalidArgument, "\"settings\" is over 100,000 bytes");
  if (!spec.default_deployment.empty() && !spec.find(spec.default_deployment)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"default\" names the deployment \"{}\", which {} does not have", printable(spec.default_deployment), spec.name));
  }
  ROOST_CHECK(settle_traffic(spec));
  return update;
}

Json deployment_json(const DeploymentSpec& deployment) {
  Json code;
  if (!deployment.snapshot.empty()) {
    code = {{"snapshot", deployment.snapshot},
            {"entry_script", deployment.entry_script},
            {"source_directory", deployment.source_directory}};
  }
  const ReplicaRange& range = deployment.replicas;
  return {{"name", deployment.name},
          {"models", deployment.models},
          {"runtime", deployment.runtime},
          {"code", std::move(code)},
          {"environment", deployment.environment},
          {"environment_variables", deployment.environment_variables},
          {"replicas", {{"min", range.min}, {"max", range.max}, {"target_utilization", range.target_utilization}, {"idle_seconds", range.idle_seconds}}},
          {"workers", deployment.workers},
          {"max_concurrent_requests", or_null(deployment.max_concurrent_requests)},
          {"queue_limit", deployment.queue_limit},
          {"queue_wait_ms", deployment.queue_wait_ms},
          {"scoring_timeout_ms", deployment.scoring_timeout_ms},
          {"batching", {{"max_batch", deployment.max_batch}, {"max_delay_us", deployment.max_delay_us}}},
          {"threads", {{"intra_op", deployment.intra_op}}},
          {"description", deployment.description},
          {"tags", deployment.tags},
          {"properties", deployment.properties},
          {"revision", deployment.revision}};
}

Json endpoint_spec_json(const EndpointSpec& spec) {
  Json deployments = Json::array();
  for (const auto& deployment : spec.deployments) deployments.push_back(deployment_json(deployment));
  return {{"name", spec.name},         {"kind", spec.kind},         {"description", spec.description}, {"tags", spec.tags},
          {"properties", spec.properties}, {"settings", spec.settings}, {"compute", spec.compute},     {"auth", spec.auth},
          {"port", spec.port},         {"traffic", spec.traffic},   {"shadow", spec.shadow},           {"default", spec.default_deployment},
          {"deployments", std::move(deployments)}};
}

Result<EndpointSpec> stored_endpoint(const Json& stored) {
  // What was checked once is read by the same code; only "revision" is not in bodies.
  Json body = stored;
  std::vector<std::int64_t> revisions;
  if (body.contains("deployments") && body["deployments"].is_array()) {
    for (auto& deployment : body["deployments"]) {
      revisions.push_back(integer_at(deployment, "revision"));
      deployment.erase("revision");
    }
  }
  ROOST_TRY(NewEndpoint read, parse_new_endpoint(body));
  for (std::size_t i = 0; i < revisions.size(); ++i) read.spec.deployments[i].revision = revisions[i];
  return std::move(read.spec);
}

}  // namespace roost
