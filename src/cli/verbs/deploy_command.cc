#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/endpoint_text.h"
#include "cli/show/progress_bar.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/deployment_options.h"
#include "cli/work/deploy_request.h"
#include "cli/work/endpoint_reference.h"
#include "cli/work/environment_reference.h"
#include "cli/work/model_files.h"
#include "cli/work/model_job.h"
#include "cli/work/model_reference.h"
#include "cli/work/run_spec.h"
#include "client/snapshot_transport.h"
#include "net/router.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

struct DeployOptions {
  std::vector<std::string> models;
  std::string name;
  std::string deployment;
  std::string compute;
  std::string auth;
  std::string code;
  std::string entry;
  std::string environment;
  std::string python;
  std::string description;
  std::vector<std::string> tags;
  std::optional<std::int64_t> port;
  std::optional<std::int64_t> traffic;
  std::optional<std::int64_t> shadow;
  std::string patience = "30m";
  DeploymentChange change;
  bool wait = false;
  bool no_wait = false;
};

// The folder with the entry script, all of it: what a service needs is often what a training ignores.
Result<Json> upload_score_code(Console& console, const DeployOptions& options) {
  const fs::path entry = options.entry.empty() ? "score.py" : options.entry;
  std::error_code error;
  const fs::path folder = fs::canonical(options.code.empty() ? entry.parent_path() / "." : fs::path(options.code), error);
  const fs::path script = options.code.empty() ? entry.filename() : entry.lexically_normal();
  if (error || !fs::is_regular_file(folder / script, error)) {
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no entry script {}; name its folder by --code and the script in it by --entry",
                            (options.code.empty() ? entry : fs::path(options.code) / entry).string()));
  }
  ROOST_TRY(const ModelFiles files, read_model_files(folder));
  ROOST_TRY(ServerAddress address, console.address());
  ProgressBar bar("Uploading", 0, console.err(), console.json());
  TransferOptions transfer;
  transfer.progress = [&bar](const TransferProgress& progress) {
    bar.set_total(progress.bytes_total);
    bar.update(progress.bytes_done);
  };
  ROOST_CHECK(upload_model_files(files, http_transports(std::move(address)), transfer));
  const std::string name = folder.filename().string();
  return Json{{"snapshot", files.digest}, {"entry_script", name + "/" + script.string()}, {"source_directory", name}};
}

// What the script runs in: what is named, else what the model was trained in.
Result<Json> environment_of(Console& console, const DeployOptions& options, const Json& first_model) {
  if (!options.environment.empty()) {
    ROOST_TRY(const EnvironmentReference reference, parse_environment_reference(options.environment));
    Json part = {{"name", reference.name}};
    if (!reference.version.empty()) part["version"] = reference.version;
    return part;
  }
  if (!options.python.empty()) return Json{{"python", options.python}};
  if (first_model.is_object()) {
    ROOST_TRY(const Json run, run_of_model(console, first_model));
    if (run.is_object() && text_field(run, "type") != "interactive") {
      ROOST_TRY(const Json spec, spec_to_repeat(run));
      if (const Json& part = child(spec, "environment"); part.is_object()) return part;
    }
  }
  const std::string python = active_python();
  return python.empty() ? Json::object() : Json{{"python", python}};
}

Result<Json> deployment_body(Console& console, const DeployOptions& options) {
  Json body = {{"models", Json::array()}};
  Json first;
  for (const std::string& text : options.models) {
    ROOST_TRY(const Json model, find_model(console, text));
    if (first.is_null()) first = model;
    body["models"].push_back(text_field(model, "id"));
  }
  const bool has_code = !options.code.empty() || !options.entry.empty();
  if (has_code) {
    ROOST_TRY(body["code"], upload_score_code(console, options));
  }
  const bool of_python = has_code || text_field(first, "framework") == "ScikitLearn";
  if (of_python || !options.environment.empty() || !options.python.empty()) {
    ROOST_TRY(body["environment"], environment_of(console, options, first));
  }
  if (!options.description.empty()) body["description"] = options.description;
  ROOST_CHECK(apply_change(options.change, body));
  return body;
}

Status check(const DeployOptions& options) {
  ROOST_CHECK(check_auth(options.auth));
  if (options.wait && options.no_wait) return fail(ErrorCode::kInvalidArgument, "--wait and --no-wait exclude each other");
  if (options.port && (*options.port < 1 || *options.port > 65535)) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("--port {} is none; it must be from 1 to 65535", *options.port));
  }
  for (const auto& percent : {options.traffic, options.shadow}) {
    if (percent && (*percent < 0 || *percent > 100)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{} is no percent; it must be from 0 to 100", *percent));
    }
  }
  if (options.models.empty() && options.code.empty() && options.entry.empty()) {
    return fail(ErrorCode::kInvalidArgument, "name the model to deploy, or what serves without one by --code");
  }
  return {};
}

Result<Json> parse_labels(const std::vector<std::string>& words) {
  Json tags = Json::object();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || word.empty()) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("--tag \"{}\" must be like key=value", printable(word)));
    }
    tags[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return tags;
}

Result<std::string> create(Console& console, const DeployOptions& options, Json deployment) {
  if (options.traffic && *options.traffic != 100) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is new: its first deployment takes all traffic, so --traffic {} cannot be", options.name,
                            *options.traffic));
  }
  const std::string name = options.deployment.empty() ? "default" : options.deployment;
  deployment["name"] = name;
  Json body = {{"name", options.name}, {"kind", "roost"}, {"deployments", Json::array({deployment})}};
  body["traffic"] = {{name, 100}};
  if (!options.compute.empty()) body["compute"] = options.compute;
  body["auth"] = options.auth.empty() ? "none" : options.auth;
  if (options.port) body["port"] = *options.port;
  if (!options.description.empty()) body["description"] = options.description;
  ROOST_TRY(body["tags"], parse_labels(options.tags));
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_CHECK(client->post(console.in_workspace("/endpoints"), body));
  return name;
}

Result<std::string> replace(Console& console, const DeployOptions& options, const Json& endpoint, const Json& deployment) {
  if (!options.compute.empty() && options.compute != text_field(endpoint, "compute")) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} lives on {}, which cannot be changed; deploy by another name", options.name,
                            text_field(endpoint, "compute")));
  }
  std::string name = options.deployment;
  if (name.empty()) {
    ROOST_TRY(name, choose_deployment(endpoint, ""));
  }
  ROOST_TRY(ApiClient * client, console.client());
  Json patch = Json::object();
  if (!options.auth.empty()) patch["auth"] = options.auth;
  if (options.port) patch["port"] = *options.port;
  if (!options.description.empty()) patch["description"] = options.description;
  if (!options.tags.empty()) {
    ROOST_TRY(patch["tags"], parse_labels(options.tags));
  }
  if (!patch.empty()) ROOST_CHECK(client->call("PATCH", endpoint_path(console, options.name), &patch));
  const std::string path = endpoint_path(console, options.name, "/deployments/" + percent_encode(name));
  ROOST_CHECK(client->call("PUT", path, &deployment));
  return name;
}

// Once it serves: no request is sent to what is not up yet.
Status set_traffic(Console& console, const DeployOptions& options, const std::string& deployment, Json& endpoint) {
  Json patch = Json::object();
  if (options.traffic) {
    ROOST_TRY(patch["traffic"], shares_with(child(endpoint, "traffic"), deployment, *options.traffic));
  }
  if (options.shadow) {
    patch["shadow"] = child(endpoint, "shadow").is_object() ? child(endpoint, "shadow") : Json::object();
    patch["shadow"][deployment] = *options.shadow;
  }
  if (patch.empty()) return {};
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(endpoint, client->call("PATCH", endpoint_path(console, options.name), &patch));
  return {};
}

int print_deployed(Console& console, const Json& endpoint) {
  if (console.json()) return console.print_json(endpoint);
  return Console::print(endpoint_page(endpoint, Json(), now_micros(), console.out(), terminal_width(1)));
}

Result<int> deploy(Console& console, const DeployOptions& options) {
  ROOST_CHECK(check(options));
  ROOST_TRY(const std::int64_t seconds, parse_duration(options.patience, "--wait-for"));
  ROOST_TRY(const Json before, look_for_endpoint(console, options.name));
  const bool is_new = before.is_null();
  if (!is_new && options.no_wait && (options.traffic || options.shadow)) {
    return fail(ErrorCode::kInvalidArgument,
                "--traffic and --shadow are set once the deployment serves, which --no-wait does not wait for; set them "
                "later with `roost endpoints traffic`");
  }
  ROOST_TRY(const Json deployment, deployment_body(console, options));
  InterruptWatch watch;
  std::string name;
  if (is_new) {
    ROOST_TRY(name, create(console, options, deployment));
  } else {
    ROOST_TRY(name, replace(console, options, before, deployment));
  }
  Json endpoint;
  if (options.no_wait) {
    ROOST_TRY(endpoint, find_endpoint(console, options.name));
    return print_deployed(console, endpoint);
  }
  ROOST_TRY(endpoint, wait_for_deployment(console, options.name, name, seconds, watch));
  if (endpoint.is_null()) return 128 + watch.signal();
  ROOST_CHECK(set_traffic(console, options, name, endpoint));
  return print_deployed(console, endpoint);
}

}  // namespace

void register_deploy(Verb& root, Console& console) {
  auto options = std::make_shared<DeployOptions>();
  Verb& verb = root.verb("deploy", "Serve models over HTTP, and wait until they answer").group(kServeGroup);
  verb.optional_arguments("MODEL", options->models, "NAME or NAME:VERSION, each model that is served")
      .required_option("--as", options->name, "ENDPOINT", "name of the endpoint; one that is there gets the new version")
      .option("--deployment", options->deployment, "NAME",
              "which deployment of it (default: its only one); a new name stands beside the others")
      .option("-c,--compute", options->compute, "NAME", "where its replicas run (default: endpoints, on the server's machine)")
      .option("--auth", options->auth, "KIND", "who may call it: none (anybody, the default), key or token")
      .option("--port", options->port, "PORT", "a port of its own besides the common one")
      .option("--traffic", options->traffic, "PERCENT", "of the requests, once it serves; the others share the rest")
      .option("--shadow", options->shadow, "PERCENT", "of the requests are sent to it too, without their answers counting")
      .option("--code", options->code, "DIR", "folder with a script that answers the requests")
      .option("--entry", options->entry, "FILE", "that script (default: score.py), with init() and run(data)")
      .option("--environment", options->environment, "NAME[:VERSION]",
              "what the script runs in (default: what the model was trained in)")
      .option("--python", options->python, "PATH", "an interpreter instead");
  add_deployment_options(verb, options->change);
  verb.option("-t,--tag", options->tags, "KEY[=VALUE]", "a tag of the endpoint")
      .option("--description", options->description, "TEXT", "what it is")
      .flag("--wait", options->wait, "wait until it serves (that is what it does anyway)")
      .flag("--no-wait", options->no_wait, "do not wait until it serves")
      .option("--wait-for", options->patience, "TIME", "give up waiting after this long (default: 30m)")
      .details(
          "An ONNX model is served by Roost itself, without any code; a scikit-learn model by a Python of its environment; "
          "all others by --code. A deployment that is there is replaced without failing a request: the new version is up "
          "before the old one goes. It fails with what the replica said when the new one does not start.")
      .example("roost deploy birds:3 --as birds")
      .example("roost deploy birds:4 --as birds --deployment green --traffic 10")
      .example("roost deploy birds --as birds --code score --environment torch --workers 2 --auth key")
      .example("roost deploy birds --as birds --min 0 --max 4 --max-batch 32 --max-delay-us 2000")
      .action([&console, options] { return deploy(console, *options); });
}

}  // namespace roost
