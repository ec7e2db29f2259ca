#include <memory>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/show/endpoint_text.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/deployment_options.h"
#include "cli/work/endpoint_call.h"
#include "cli/work/endpoint_logs.h"
#include "cli/work/endpoint_reference.h"
#include "net/router.h"

namespace roost {
namespace {

struct EndpointOptions {
  std::string name;
  std::string deployment;
  std::string replica;
  std::string auth;
  std::string description;
  std::string regenerate;
  std::string key;
  std::string file;
  std::string data;
  std::string path;
  std::string content_type = "application/json";
  std::vector<std::string> shares;
  std::vector<std::string> shadow;
  std::optional<std::int64_t> port;
  std::int64_t lines = 1000;
  std::string patience = "30m";
  DeploymentChange change;
  bool follow = false;
  bool quiet = false;
  bool token = false;
  bool no_wait = false;
};

Result<int> list(Console& console, const EndpointOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json answer, client->get(console.in_workspace("/endpoints")));
  if (console.json()) return console.print_json(answer);
  const Json& endpoints = child(answer, "endpoints");
  if (options.quiet) {
    for (const Json& endpoint : endpoints) Console::print(text_field(endpoint, "name") + "\n");
    return 0;
  }
  if (endpoints.empty()) {
    std::fputs("no endpoints; `roost deploy` makes one\n", stderr);
    return 0;
  }
  return Console::print(endpoint_table(endpoints, now_micros()).text(console.out(), terminal_width(1)));
}

Result<int> print_endpoint(Console& console, const Json& endpoint) {
  if (console.json()) return console.print_json(endpoint);
  return Console::print(endpoint_page(endpoint, Json(), now_micros(), console.out(), terminal_width(1)));
}

Result<int> show(Console& console, const EndpointOptions& options) {
  ROOST_TRY(Json endpoint, find_endpoint(console, options.name));
  ROOST_TRY(ApiClient * client, console.client());
  // The front may be away; what the endpoint is can be told without its numbers.
  const auto statistics = client->get(endpoint_path(console, options.name, "/statistics"));
  if (console.json()) {
    if (statistics) endpoint["statistics"] = *statistics;
    return console.print_json(endpoint);
  }
  return Console::print(
      endpoint_page(endpoint, statistics ? *statistics : Json(), now_micros(), console.out(), terminal_width(1)));
}

Result<int> logs(Console& console, const EndpointOptions& options) {
  if (options.lines < 1) return fail(ErrorCode::kInvalidArgument, "--lines must be at least 1");
  const EndpointLogRequest request{options.name, options.deployment, options.replica, options.lines};
  if (options.follow) {
    InterruptWatch watch;
    return follow_endpoint_log(console, request, watch);
  }
  ROOST_TRY(const std::string text, read_endpoint_log(console, request));
  if (console.json()) return console.print_json({{"text", text}});
  return Console::print(text);
}

Result<int> update(Console& console, const EndpointOptions& options) {
  ROOST_CHECK(check_auth(options.auth));
  ROOST_TRY(const std::int64_t seconds, parse_duration(options.patience, "--wait-for"));
  ROOST_TRY(Json endpoint, find_endpoint(console, options.name));
  ROOST_TRY(ApiClient * client, console.client());
  Json patch = Json::object();
  if (!options.auth.empty()) patch["auth"] = options.auth;
  if (options.port) patch["port"] = *options.port == 0 ? Json() : Json(*options.port);
  if (!options.description.empty()) patch["description"] = options.description;
  Json changed = Json::object();
  ROOST_CHECK(apply_change(options.change, changed));
  if (patch.empty() && changed.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "say what to change, like --replicas 3; another model version is deployed with `roost deploy`");
  }
  if (!patch.empty()) {
    ROOST_TRY(endpoint, client->call("PATCH", endpoint_path(console, options.name), &patch));
  }
  if (changed.empty()) return print_endpoint(console, endpoint);
  ROOST_TRY(const std::string name, choose_deployment(endpoint, options.deployment));
  Json deployment = deployment_to_send(find_deployment(endpoint, name));
  ROOST_CHECK(apply_change(options.change, deployment));
  const std::string path = endpoint_path(console, options.name, "/deployments/" + percent_encode(name));
  InterruptWatch watch;
  ROOST_TRY(endpoint, client->call("PUT", path, &deployment));
  if (!options.no_wait) {
    ROOST_TRY(endpoint, wait_for_deployment(console, options.name, name, seconds, watch));
    if (endpoint.is_null()) return 128 + watch.signal();
  }
  return print_endpoint(console, endpoint);
}

Result<int> traffic(Console& console, const EndpointOptions& options) {
  ROOST_TRY(const Json shares, parse_shares(options.shares, "the share"));
  ROOST_TRY(const Json shadow, parse_shares(options.shadow, "--shadow"));
  ROOST_TRY(Json endpoint, find_endpoint(console, options.name));
  for (const Json* given : {&shares, &shadow}) {
    for (const auto& [name, percent] : given->items()) ROOST_CHECK(choose_deployment(endpoint, name));
  }
  Json patch = Json::object();
  if (!shares.empty()) {
    std::int64_t sum = 0;
    for (const auto& [name, percent] : shares.items()) sum += percent.get<std::int64_t>();
    if (sum != 100) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the shares make {} % together; they must make 100 %. Who is not named gets nothing", sum));
    }
    patch["traffic"] = shares;
  }
  if (!shadow.empty()) patch["shadow"] = shadow;
  if (!patch.empty()) {
    ROOST_TRY(ApiClient * client, console.client());
    ROOST_TRY(endpoint, client->call("PATCH", endpoint_path(console, options.name), &patch));
  }
  if (console.json()) {
    return console.print_json({{"traffic", child(endpoint, "traffic")}, {"shadow", child(endpoint, "shadow")}});
  }
  const std::string to_shadow = shares_text(child(endpoint, "shadow"));
  return Console::print(shares_text(child(endpoint, "traffic")) + (to_shadow.empty() ? "" : "; shadow " + to_shadow) + "\n");
}

Result<int> rollback(Console& console, const EndpointOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json endpoint, client->post(endpoint_path(console, options.name, "/rollback"), Json::object()));
  return print_endpoint(console, endpoint);
}

Result<int> restart(Console& console, const EndpointOptions& options) {
  const Json body = {{"deployment", options.deployment.empty() ? Json() : Json(options.deployment)}};
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json endpoint, client->post(endpoint_path(console, options.name, "/restart"), body));
  return print_endpoint(console, endpoint);
}

Result<int> keys(Console& console, const EndpointOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  if (options.token) {
    ROOST_TRY(const Json token, client->post(endpoint_path(console, options.name, "/token"), Json::object()));
    if (console.json()) return console.print_json(token);
    Console::print(text_field(token, "token") + "\n");
    if (!options.quiet) std::fprintf(stderr, "good until %s\n", text_field(token, "expires_at").c_str());
    return 0;
  }
  Json both;
  if (options.regenerate.empty()) {
    ROOST_TRY(both, client->get(endpoint_path(console, options.name, "/keys")));
  } else {
    if (options.regenerate != "primary" && options.regenerate != "secondary") {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--regenerate {}: the keys are primary and secondary", printable(options.regenerate)));
    }
    const Json body = {{"key", options.regenerate}, {"value", options.key.empty() ? Json() : Json(options.key)}};
    ROOST_TRY(both, client->post(endpoint_path(console, options.name, "/keys"), body));
  }
  if (console.json()) return console.print_json(both);
  if (options.quiet) {
    return Console::print(text_field(both, options.regenerate.empty() ? "primary" : options.regenerate.c_str()) + "\n");
  }
  return Console::print(fmt::format("primary    {}\nsecondary  {}\n", text_field(both, "primary"), text_field(both, "secondary")));
}

Result<int> remove(Console& console, const EndpointOptions& options) {
  const std::string rest = options.deployment.empty() ? "" : "/deployments/" + percent_encode(options.deployment);
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json answer, client->call("DELETE", endpoint_path(console, options.name, rest), nullptr));
  if (console.json()) return console.print_json(answer);
  return Console::print(fmt::format("removed {}{}\n", options.name, options.deployment.empty() ? "" : " " + options.deployment));
}

Result<int> call(Console& console, const EndpointOptions& options) {
  if (!options.file.empty() && !options.data.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--file and --data both say what to send; give one of them");
  }
  EndpointRequest request{options.path, options.deployment, options.key, options.content_type, options.data, true};
  request.has_body = !options.file.empty() || !options.data.empty();
  if (!options.file.empty()) {
    ROOST_TRY(request.body, read_file(options.file == "-" ? "/dev/stdin" : options.file));
  }
  if (!request.has_body && options.path.empty()) {
    return fail(ErrorCode::kInvalidArgument, "say what to send: --file request.json, or --data '{\"data\": [[1, 2]]}'");
  }
  ROOST_TRY(const Json endpoint, find_endpoint(console, options.name));
  if (request.key.empty()) {
    ROOST_TRY(request.key, endpoint_key(console, endpoint));
  }
  ROOST_TRY(const ClientResponse answer, call_endpoint(console, endpoint, request));
  ROOST_CHECK(write_all(1, answer.body, "standard output"));
  if (is_terminal(1) && !answer.body.ends_with('\n')) Console::print("\n");
  const auto header = [&answer](const char* name) {
    const auto it = answer.headers.find(name);
    return it == answer.headers.end() ? std::string() : it->second;
  };
  std::fprintf(stderr, "%s\n",
               console.err()(Tone::kDim, fmt::format("status {} from {} {}, request {}", answer.status, header("x-roost-deployment"),
                                                     header("x-roost-version"), header("x-request-id")))
                   .c_str());
  return answer.status < 300 ? 0 : 1;
}

}  // namespace

void register_endpoints(Verb& root, Console& console) {
  auto options = std::make_shared<EndpointOptions>();
  const auto act = [&console, options](Result<int> (*what)(Console&, const EndpointOptions&)) {
    return [&console, options, what] { return what(console, *options); };
  };
  const char* which = "name of the endpoint";
  Verb& verb = root.verb("endpoints", "Look at what is served, and change it").group(kServeGroup);
  verb.verb("ls", "List endpoints")
      .flag("-q,--quiet", options->quiet, "print names only")
      .example("roost endpoints ls")
      .action(act(list));
  verb.verb("show", "Show an endpoint: state, deployments, replicas, how to call it")
      .argument("ENDPOINT", options->name, which)
      .example("roost endpoints show birds")
      .action(act(show));
  verb.verb("logs", "Print what its replicas say")
      .argument("ENDPOINT", options->name, which)
      .option("--deployment", options->deployment, "NAME", "only of this deployment")
      .option("--replica", options->replica, "RUN", "only of this replica")
      .option("-n,--lines", options->lines, "N", "the last so many lines (default: 1000)")
      .flag("-f,--follow", options->follow, "stay and print what is added")
      .example("roost endpoints logs birds -f")
      .action(act(logs));
  Verb& change = verb.verb("update", "Change how it runs, without failing a request");
  change.argument("ENDPOINT", options->name, which)
      .option("--deployment", options->deployment, "NAME", "which deployment (default: its only one)");
  add_deployment_options(change, options->change)
      .option("--auth", options->auth, "KIND", "who may call it: none, key or token")
      .option("--port", options->port, "PORT", "a port of its own; 0 gives it up")
      .option("--description", options->description, "TEXT", "what it is")
      .flag("--no-wait", options->no_wait, "do not wait until it serves that way")
      .option("--wait-for", options->patience, "TIME", "give up waiting after this long (default: 30m)")
      .example("roost endpoints update birds --min 1 --max 4")
      .example("roost endpoints update birds --deployment green --replicas 2 --env LOG=debug")
      .action(act(update));
  verb.verb("traffic", "Share out the requests; without shares, say how they are")
      .argument("ENDPOINT", options->name, which)
      .optional_arguments("SHARE", options->shares, "DEPLOYMENT=PERCENT, 100 together; who is not named gets nothing")
      .option("--shadow", options->shadow, "DEPLOYMENT=PERCENT",
              "so much is sent to it too, without its answers counting")
      .example("roost endpoints traffic birds blue=90 green=10")
      .example("roost endpoints traffic birds --shadow green=100")
      .action(act(traffic));
  verb.verb("rollback", "Go back to what it was before the last change")
      .argument("ENDPOINT", options->name, which)
      .example("roost endpoints rollback birds")
      .action(act(rollback));
  verb.verb("restart", "Start its replicas again, one after the other, without failing a request")
      .argument("ENDPOINT", options->name, which)
      .optional_argument("DEPLOYMENT", options->deployment, "only of this one")
      .example("roost endpoints restart birds")
      .action(act(restart));
  verb.verb("keys", "Print its keys, or make one anew")
      .argument("ENDPOINT", options->name, which)
      .option("--regenerate", options->regenerate, "KEY", "primary or secondary: the old one opens nothing any more")
      .option("--value", options->key, "TEXT", "what the new one is to be (default: a random one)")
      .flag("--token", options->token, "make a token instead, for an endpoint with --auth token")
      .flag("-q,--quiet", options->quiet, "print one only: the primary, or the new one")
      .example("roost endpoints keys birds --regenerate primary")
      .action(act(keys));
  verb.verb("call", "Send one request and print the answer")
      .argument("ENDPOINT", options->name, which)
      .option("--file", options->file, "FILE", "what to send; - is standard input")
      .option("--data", options->data, "TEXT", "what to send, written here")
      .option("--path", options->path, "PATH", "another address below the endpoint, like /v2 (a GET, if nothing is sent)")
      .option("--content-type", options->content_type, "TYPE", "of what is sent (default: application/json)")
      .option("--deployment", options->deployment, "NAME", "ask this one, whatever the traffic is")
      .option("--key", options->key, "KEY", "its key, for those who may not look it up")
      .example("roost endpoints call birds --file request.json")
      .example("roost endpoints call birds --path /v2/models/birds")
      .action(act(call));
  verb.verb("rm", "Remove it, or one deployment of it")
      .argument("ENDPOINT", options->name, which)
      .optional_argument("DEPLOYMENT", options->deployment, "only this one")
      .example("roost endpoints rm birds green")
      .action(act(remove));
}

}  // namespace roost
