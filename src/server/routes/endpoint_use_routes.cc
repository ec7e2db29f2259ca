#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "observe/log_store.h"
#include "records/endpoint_records.h"
#include "records/run_records.h"
#include "records/workspace_records.h"
#include "server/front_process.h"
#include "server/routes/endpoint_answers.h"

namespace roost {
namespace {

constexpr Micros kTokenLife = 12 * 3600 * kSecond;
constexpr std::int64_t kReplicasShown = 20;
constexpr std::uint64_t kMostLog = 4 << 20;

// The endpoint of the path, in a read.
Result<EndpointRow> look_up(App& app, Request& request) {
  EndpointRow endpoint;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters.at("workspace")));
    ROOST_TRY(endpoint, find_endpoint(tx, request.parameters.at("workspace"), request.parameters.at("endpoint")));
    return {};
  }));
  return endpoint;
}

Response keys_answer(const EndpointRow& endpoint) {
  return json_response({{"primary", endpoint.primary_key}, {"secondary", endpoint.secondary_key}});
}

Result<Response> keys(App& app, Request& request) {
  ROOST_TRY(const EndpointRow endpoint, look_up(app, request));
  return keys_answer(endpoint);
}

// The other key goes on working, so that callers can change theirs one by one.
Result<Response> renew_key(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the key");
  const std::string which = fields.required_string("key");
  const std::string given = fields.string("value");
  ROOST_CHECK(fields.done());
  if (which != "primary" && which != "secondary") {
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"key\" is primary or secondary, not \"{}\"", printable(which)));
  }
  ROOST_CHECK(check_endpoint_key(given, "value"));
  EndpointRow endpoint;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters.at("workspace")));
    ROOST_TRY(endpoint, find_endpoint(tx, request.parameters.at("workspace"), request.parameters.at("endpoint")));
    (which == "primary" ? endpoint.primary_key : endpoint.secondary_key) = given.empty() ? random_hex(24) : given;
    return save_endpoint(tx, endpoint);
  }));
  app.changes.endpoint_changed(endpoint.slug);
  return keys_answer(endpoint);
}

// For who may read but not change: it calls this endpoint, and ends by itself.
Result<Response> make_token(App& app, Request& request) {
  EndpointToken token;
  const std::string secret = random_hex(32);
  token.hash = sha256_hex(secret);
  std::string slug;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters.at("workspace")));
    ROOST_TRY(const EndpointRow endpoint, find_endpoint(tx, request.parameters.at("workspace"), request.parameters.at("endpoint")));
    slug = endpoint.slug;
    token.expires = app.clock.now() + kTokenLife;
    ROOST_CHECK(drop_expired_tokens(tx, app.clock.now()));
    return insert_endpoint_token(tx, endpoint.seq, token);
  }));
  app.changes.endpoint_changed(slug);
  return json_response({{"token", secret},
                        {"refresh_after", format_time(token.expires - kTokenLife / 2)},
                        {"expires_at", format_time(token.expires)}});
}

// What the replicas printed, the newest last; of the build too while nothing has run.
std::string log_of(App& app, const ReplicaRow& replica, std::size_t lines) {
  std::string text;
  for (const std::string_view name : {kBuildLog, kDriverLog}) {
    const std::int64_t attempt = name == kBuildLog ? 0 : 1;
    if (name == kBuildLog && replica.started) continue;
    text += app.logs->tail(replica.run_id, attempt, std::string(name), kMostLog);
  }
  std::size_t at = text.size();
  for (std::size_t left = lines + 1; at > 0 && left > 0;) {
    if (text[at - 1] == '\n') --left;
    if (left > 0) --at;
  }
  return text.substr(at);
}

Result<Response> logs(App& app, Request& request) {
  ROOST_TRY(const EndpointRow endpoint, look_up(app, request));
  const std::string deployment = text_query(request, "deployment");
  const std::string wanted = text_query(request, "replica");
  ROOST_TRY(const auto lines, integer_query(request, "lines", 5000, 1, 100'000));
  std::vector<ReplicaRow> replicas;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(replicas, replicas_of(tx, endpoint.seq, kReplicasShown));
    return {};
  }));
  std::erase_if(replicas, [&](const ReplicaRow& one) {
    return (!deployment.empty() && one.deployment != deployment) || (!wanted.empty() && one.run_id != wanted);
  });
  if (replicas.empty()) return json_response({{"text", ""}, {"replica", nullptr}});
  // One that works has more to say than the one that is just coming up.
  auto chosen = std::find_if(replicas.begin(), replicas.end(), [](const ReplicaRow& one) { return one.is_open && one.state == "ready"; });
  if (chosen == replicas.end()) chosen = std::find_if(replicas.begin(), replicas.end(), [](const ReplicaRow& one) { return one.started.has_value(); });
  if (chosen == replicas.end()) chosen = replicas.begin();
  return json_response({{"text", log_of(app, *chosen, static_cast<std::size_t>(lines))}, {"replica", chosen->run_id}});
}

Result<Response> statistics(App& app, Request& request) {
  ROOST_TRY(const EndpointRow endpoint, look_up(app, request));
  std::vector<std::string> names;
  for (const auto& deployment : endpoint.spec.deployments) names.push_back(deployment.name);
  return json_response(app.front_statistics.of(endpoint.workspace, endpoint.spec.name, names));
}

struct Heartbeat {
  std::string state;
  std::string address;
  std::int64_t port = 0;
  std::string key;
  std::string message;
  Json load;
};

Result<Heartbeat> parse_heartbeat(const Json& body) {
  JsonFields fields(body, "the replica");
  Heartbeat said;
  said.state = fields.required_string("state");
  said.address = fields.string("address");
  said.port = fields.integer("port", 0, 0, 65535);
  said.key = fields.string("key");
  said.message = fields.string("message");
  said.load = fields.object("load");
  ROOST_CHECK(fields.done());
  if (said.state != "starting" && said.state != "ready" && said.state != "stopping" && said.state != "failed") {
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"state\" is starting, ready, stopping or failed, not \"{}\"", printable(said.state)));
  }
  if (said.message.size() > 64'000) said.message.resize(64'000);
  return said;
}

Result<Response> beat(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(const Heartbeat said, parse_heartbeat(body));
  ReplicaRow replica;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, find_run(tx, request.parameters.at("run")));
    if (who.run_row != run.seq) return fail(ErrorCode::kPermissionDenied, "only the replica itself tells how it is");
    ROOST_TRY(replica, find_replica(tx, run.seq));
    return {};
  }));
  app.replica_loads.say(replica.run_id, said.load, app.clock.steady());
  const bool is_same = replica.state == said.state && replica.address == said.address && replica.port == said.port &&
                       replica.key == said.key && replica.message == said.message;
  if (!is_same) {
    ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
      ROOST_TRY(ReplicaRow row, find_replica(tx, replica.run));
      row.state = said.state;
      row.address = said.address;
      row.port = said.port;
      row.key = said.key;
      row.message = said.message;
      if (said.state == "ready" && !row.ready) row.ready = app.clock.now();
      return save_replica(tx, row);
    }));
    app.changes.endpoint_changed("");
  }
  return json_response({{"stop", replica.retired.has_value()}});
}

}  // namespace

void add_endpoint_use_routes(Router& router, App& app) {
  const std::string one = "/api/v1/workspaces/{workspace}/endpoints/{endpoint}";
  const auto add = [&](const char* method, const std::string& pattern, const char* operation, Need need, ApiHandler handler) {
    add_operation(router, app, method, pattern, operation, need, std::move(handler));
  };
  add("GET", one + "/keys", "get_endpoint_keys", Need::kContributor, [&app](Request& request, const Principal&) { return keys(app, request); });
  add("POST", one + "/keys", "renew_endpoint_key", Need::kContributor, [&app](Request& request, const Principal&) { return renew_key(app, request); });
  add("POST", one + "/token", "make_endpoint_token", Need::kReader, [&app](Request& request, const Principal&) { return make_token(app, request); });
  add("GET", one + "/logs", "get_endpoint_logs", Need::kReader, [&app](Request& request, const Principal&) { return logs(app, request); });
  add("GET", one + "/statistics", "get_endpoint_statistics", Need::kReader,
      [&app](Request& request, const Principal&) { return statistics(app, request); });
  add("PUT", "/api/v1/runs/{run}/replica", "beat_replica", Need::kContributorOrRun,
      [&app](Request& request, const Principal& who) { return beat(app, request, who); });
}

}  // namespace roost
