#include "server/config.h"

#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml.h"
#include "domain/names.h"

namespace roost {
namespace {

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "localhost" || address == "::1";
}

void read_seconds(const Json& root, JsonFields& fields, const char* name, double& seconds) {
  if (!fields.has(name)) return;
  const Json& value = root[name];
  if (!value.is_number() || value.get<double>() < 0.05 || value.get<double>() > 86'400) {
    fields.reject(fmt::format("\"{}\" must be a number of seconds from 0.05 to 86400", name));
    return;
  }
  seconds = value.get<double>();
}

Result<std::vector<NodeHost>> hosts_from(const Json& items, const std::string& file_name) {
  std::vector<NodeHost> hosts;
  for (const auto& item : items) {
    JsonFields fields(item, "\"hosts\" in " + file_name);
    NodeHost host;
    host.address = fields.required_string("address");
    host.start = fields.strings("start");
    ROOST_CHECK(fields.done());
    hosts.push_back(std::move(host));
  }
  return hosts;
}

std::vector<std::string> gpus_from(JsonFields& fields) {
  std::vector<std::string> gpus = fields.strings("gpus");
  std::set<std::string> seen;
  for (const auto& gpu : gpus) {
    const bool is_name = !gpu.empty() && gpu.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_/.") == std::string::npos;
    if (!is_name || !seen.insert(gpu).second) {
      fields.reject(fmt::format("\"gpus\" lists \"{}\"; it must be a UUID or a number of a GPU, each once", printable(gpu)));
    }
  }
  return gpus;
}

Result<ServerConfig::Slurm> slurm_from(const Json& body, const std::string& file_name) {
  ServerConfig::Slurm slurm;
  JsonFields items(body, "\"slurm\" in " + file_name);
  const std::string login = items.string("login");
  slurm.cluster.through = items.strings("through");
  slurm.cluster.variables = items.string_map("variables").get<std::map<std::string, std::string>>();
  slurm.url = items.string("url");
  slurm.folder = items.string("folder");
  read_seconds(body, items, "poll_seconds", slurm.poll_seconds);
  read_seconds(body, items, "command_seconds", slurm.cluster.command_seconds);
  const Json sizes = items.object("vm_sizes");
  if (!login.empty() && !slurm.cluster.through.empty()) items.reject("\"slurm\" has both \"login\" and \"through\"; give one of them");
  if (login.starts_with('-')) items.reject("\"login\" must be a host or user@host");
  ROOST_CHECK(items.done());
  if (!login.empty()) {
    // One connection serves all commands: making one takes longer than most of them.
    slurm.cluster.through = {"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ControlMaster=auto",
                             "-o", "ControlPersist=60", "-o", "ControlPath=~/.ssh/roost-%C", login, "--"};
    slurm.cluster.through_shell = true;
  }
  for (const auto& item : sizes.items()) {
    ROOST_TRY(const SlurmOptions options,
              parse_slurm_options(item.value(), fmt::format("\"{}\" of \"vm_sizes\" in {}", item.key(), file_name)));
    slurm.sizes[lower(item.key())] = slurm_options_json(options);
  }
  return slurm;
}

}  // namespace

Result<ServerConfig> parse_config(std::string_view yaml, const std::string& file_name) {
  ROOST_TRY(Json root, parse_yaml(yaml, file_name));
  if (root.is_null()) root = Json::object();
  JsonFields fields(root, file_name);
  ServerConfig config;
  config.data = fields.string("data");
  config.address = fields.string("address", config.address);
  config.port = static_cast<std::uint16_t>(fields.integer("port", config.port, 0, 65535));
  config.python = fields.string("python");
  config.curated_environments = fields.string("curated_environments");
  config.allow_insecure = fields.boolean("allow_insecure", false);
  read_seconds(root, fields, "heartbeat_seconds", config.heartbeat_seconds);
  read_seconds(root, fields, "node_silent_seconds", config.node_silent_seconds);
  read_seconds(root, fields, "node_lost_seconds", config.node_lost_seconds);
  read_seconds(root, fields, "process_silent_seconds", config.process_silent_seconds);
  read_seconds(root, fields, "process_lost_seconds", config.process_lost_seconds);
  read_seconds(root, fields, "writer_stall_seconds", config.writer_stall_seconds);
  read_seconds(root, fields, "alert_retry_seconds", config.alert_retry_seconds);
  read_seconds(root, fields, "idle_gpu_seconds", config.idle_gpu_seconds);
  config.bin_days = fields.integer("bin_days", config.bin_days, 0, 36'500);
  config.reserve_mb = fields.integer("reserve_mb", config.reserve_mb, 0, 100'000);
  config.hang_seconds = static_cast<double>(
      fields.integer("hang_seconds", static_cast<std::int64_t>(config.hang_seconds), 0, 30 * 86'400));
  config.cancel_grace_seconds =
      static_cast<int>(fields.integer("cancel_grace_seconds", config.cancel_grace_seconds, 0, 86'400));
  config.blob_lease_seconds =
      static_cast<int>(fields.integer("blob_lease_seconds", config.blob_lease_seconds, 0, 86'400));
  config.worker_threads =
      static_cast<int>(fields.integer("worker_threads", config.worker_threads, 2, 256));
  config.caller_requests = static_cast<int>(fields.integer("caller_requests", config.caller_requests, 1, 100'000));
  config.caller_uploads = static_cast<int>(fields.integer("caller_uploads", config.caller_uploads, 1, 1000));
  config.address_connections =
      static_cast<int>(fields.integer("address_connections", config.address_connections, 4, 100'000));
  config.serving_port = fields.integer("serving_port", 0, 0, 65535);
  config.local_nodes = fields.integer("local_nodes", 0, 0, 100'000);
  const Json tls = fields.object("tls");
  const Json environments = fields.object("environments");
  const std::string pins = fields.string("pins");
  const Json hosts = fields.array("hosts");
  const Json slurm = fields.object("slurm");
  if (fields.has("gpus")) config.gpus = gpus_from(fields);
  config.variables = fields.string_map("variables").get<std::map<std::string, std::string>>();
  ROOST_CHECK(fields.done());
  for (const auto& [name, value] : config.variables) ROOST_CHECK(check_variable_name(name));
  ROOST_TRY(config.hosts, hosts_from(hosts, file_name));
  ROOST_TRY(config.slurm, slurm_from(slurm, file_name));
  JsonFields build(environments, "\"environments\" in " + file_name);
  config.environments.pythons = build.strings("pythons");
  config.environments.index_url = build.string("index_url");
  config.environments.wheels = build.string("wheels");
  config.environments.channels = build.strings("channels");
  config.environments.offline = build.boolean("offline", false);
  config.environments.uv = build.string("uv");
  config.environments.cache = build.string("cache");
  config.environments.gpu = build.string("gpu", config.environments.gpu);
  if (const std::string& gpu = config.environments.gpu; gpu != "auto" && gpu != "yes" && gpu != "no") {
    build.reject(fmt::format("\"gpu\" is \"{}\"; it must be auto, yes or no", printable(gpu)));
  }
  const std::string their_pins = build.string("pins", pins.empty() ? "nearest" : pins);
  config.environments.registry = build.string("registry");
  config.environments.registry_insecure = build.boolean("registry_insecure", false);
  ROOST_CHECK(build.done());
  ROOST_TRY(config.environments.pins, parse_pins(their_pins));
  JsonFields tls_fields(tls, "\"tls\" in " + file_name);
  config.tls_certificate = tls_fields.string("certificate");
  config.tls_key = tls_fields.string("key");
  config.tls_self_signed = tls_fields.boolean("self_signed", false);
  ROOST_CHECK(tls_fields.done());
  if (config.tls_certificate.empty() != config.tls_key.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"tls\" in {} needs both \"certificate\" and \"key\"", file_name));
  }
  return config;
}

Status check_exposure(const ServerConfig& config) {
  const bool tls = config.tls_self_signed || !config.tls_certificate.empty();
  if (tls || config.allow_insecure || is_loopback(config.address)) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{} can be reached from other machines, and without TLS tokens would travel in "
                          "the clear; set \"tls\" (self_signed: true is enough), or allow_insecure: true "
                          "if you mean it",
                          config.address));
}

}  // namespace roost
