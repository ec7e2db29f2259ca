#include "server/routes/routes.h"

#include <arpa/inet.h>

#include <charconv>

#include <fmt/format.h>

#include "base/activity.h"
#include "base/base64.h"
#include "base/digest.h"
#include "base/text.h"
#include "execute/attempts.h"
#include "records/bin_records.h"
#include "records/run_records.h"
#include "server/routes/watched_stream.h"

namespace roost {
namespace {

constexpr int kNodeThreads = 4;

bool is_loopback_v4(const std::string& host) {
  in_addr address{};
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

std::string bearer_of(const Request& request) {
  const std::string header = request.header("authorization");
  if (lower(header.substr(0, 7)) == "bearer ") return std::string(trim(header.substr(7)));
  // MLflow's clients may send a password, which is the token; whom they say it is of is not believed.
  if (lower(header.substr(0, 6)) == "basic " && !request.path.starts_with("/api/v1/")) {
    const auto pair = base64_decode(trim(header.substr(6)));
    const auto colon = pair ? pair->find(':') : std::string::npos;
    if (colon != std::string::npos) return pair->substr(colon + 1);
  }
  return "";
}

// A browser sends its cookie along with whatever a page makes it send, but only our own page can add a header.
Status check_own_page(const Request& request) {
  if (request.method == "GET" || request.method == "HEAD" || !request.header("x-roost-studio").empty()) return {};
  return fail(ErrorCode::kPermissionDenied,
              "a change by a logged-in browser needs the header X-Roost-Studio; scripts send a token instead");
}

// Whether the token is one that this server made for what the path names: then whoever has it was given up,
// else it would be known.
bool was_ours(const App& app, const Request& request, const std::string& token) {
  const auto named = [&](const char* name) {
    const auto it = request.parameters.find(name);
    return it == request.parameters.end() ? std::string() : it->second;
  };
  const std::string attempt = named("attempt");
  std::int64_t number = 0;
  std::from_chars(attempt.data(), attempt.data() + attempt.size(), number);
  return (!named("node").empty() && token == app.access->node_token(named("node"))) ||
         (!named("allocation").empty() && token == app.access->allocation_token(named("allocation"))) ||
         (!attempt.empty() && token == app.access->attempt_token(named("run"), number));
}

Result<Principal> caller_of(App& app, const Request& request) {
  if (const std::string bearer = bearer_of(request); !bearer.empty()) {
    auto known = app.access->authenticate(bearer);
    if (!known && known.error().code == ErrorCode::kUnauthenticated && was_ours(app, request, bearer)) {
      return fail(ErrorCode::kGivenUp, "this token was given to a node, a job or an attempt that is over");
    }
    return known;
  }
  const std::string session = session_of(app, request);
  if (!session.empty()) ROOST_CHECK(check_own_page(request));
  return app.access->authenticate(session);
}

Status authorise(App& app, Need need, const Principal& who, const Request& request) {
  const auto refuse = [&](std::string_view needed) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("this needs {}; the token is that of {} ({})", needed, who.name,
                            role_name(who.role)));
  };
  const auto least = [&](Role role) -> Status {
    if (who.is_person() && who.role >= role) return {};
    return refuse(fmt::format("the role {}", role_name(role)));
  };
  const auto own_workspace = [&](const Run& run) -> Status {
    const auto named = request.parameters.find("workspace");
    if (named == request.parameters.end() || named->second == run.workspace) return {};
    return refuse(fmt::format("a token of the workspace {}", printable(named->second)));
  };
  const auto reachable_run = [&](Tx& tx) -> Status {
    if (request.parameters.contains("run")) ROOST_CHECK(request_run(tx, request, who));
    return {};
  };
  switch (need) {
    case Need::kNobody:
      return {};
    case Need::kReaderOrLocal:
    case Need::kReader:
      return least(Role::kReader);
    case Need::kContributor:
      return least(Role::kContributor);
    case Need::kOwner:
    case Need::kOwnerOrFolder:
      return least(Role::kOwner);
    case Need::kReaderOrRun:
      if (!who.run_row) return least(Role::kReader);
      return app.db->read([&](Tx& tx) -> Status {
        ROOST_TRY(const Run run, run_by_row(tx, *who.run_row));
        ROOST_CHECK(own_workspace(run));
        return reachable_run(tx);
      });
    case Need::kContributorOrRun:
      if (!who.run_row) return least(Role::kContributor);
      // A script that outlived its attempt must not write into its successor's run.
      return app.db->read([&](Tx& tx) -> Status {
        ROOST_TRY(const Run run, run_by_row(tx, *who.run_row));
        ROOST_CHECK(own_workspace(run));
        ROOST_CHECK(check_attempt_open(tx, run, who.attempt));
        return reachable_run(tx);
      });
    case Need::kNode:
      if (!who.node.empty() && who.node == request.parameters.at("node")) return {};
      return refuse("the token of that node");
    case Need::kAllocation: {
      const auto named = request.parameters.find("allocation");
      if (!who.allocation.empty() && (named == request.parameters.end() || named->second == who.allocation)) return {};
      return refuse("the token of that Slurm job");
    }
    case Need::kAttempt: {
      if (!who.run_row || std::to_string(who.attempt) != request.parameters.at("attempt")) {
        return refuse("the token of that attempt");
      }
      return app.db->read([&](Tx& tx) -> Status {
        ROOST_TRY(const Run run, find_run(tx, request.parameters.at("run")));
        return run.seq == *who.run_row ? Status() : refuse("the token of that attempt");
      });
    }
  }
  return {};
}

// A page of any site can have its own name point at 127.0.0.1 and read what the browser then gets from here, and a
// proxy on this machine may pass on what others ask. Neither says that it wants this machine itself.
bool is_local(const App& app, const Request& request) {
  if (!request.peer_is_loopback) return false;
  std::string host = lower(request.header("host"));
  if (const auto colon = host.rfind(':'); colon != host.npos && host.find(']', colon) == host.npos) host.erase(colon);
  return host == "localhost" || host == "[::1]" || is_loopback_v4(host) || host == lower(app.config.address);
}

// Whether the run stands above the one in row `own`, or beside it.
bool is_family(Tx& tx, const Run& run, std::int64_t own) {
  auto at = run_by_row(tx, own);
  if (at && at->parent && at->parent == run.parent) return true;
  for (int depth = 0; at && at->parent && depth < 64; ++depth) {
    if (*at->parent == run.id) return true;
    at = find_run(tx, *at->parent);
  }
  return false;
}

bool is_known(const Principal& who) { return !who.is_person() || !who.token.empty(); }

std::size_t lane_of(Need need) {
  if (need == Need::kAttempt) return 1;
  return need == Need::kNode || need == Need::kAllocation ? 2 : 0;
}

Response error_response(const Request& request, Error error) {
  // Trouble with the server's own files says nothing about the caller's rights or what he asked for.
  const bool is_own = error.code == ErrorCode::kNotFound || error.code == ErrorCode::kPermissionDenied;
  if (error.errnum != 0 && is_own) error.code = ErrorCode::kInternal;
  // Nobody but the log knows more of it: this is how it is found there.
  if (error.code == ErrorCode::kInternal) error.message += fmt::format(" (request {})", request.id);
  Response response;
  response.status = http_status(error.code);
  response.body = error_body(error);
  if (error.code == ErrorCode::kUnavailable) response.headers["Retry-After"] = "1";
  return response;
}

}  // namespace

Result<Principal> admit(App& app, Need need, const Request& request) {
  if (need == Need::kNobody || (need == Need::kReaderOrLocal && is_local(app, request))) return Principal{};
  if (need == Need::kOwnerOrFolder && equal_secret(bearer_of(request), app.access->stop_token())) {
    Principal who;
    who.name = "whoever has the data folder";
    return who;
  }
  ROOST_TRY(Principal who, caller_of(app, request));
  ROOST_CHECK(authorise(app, need, who, request));
  return who;
}

std::string_view need_name(Need need) {
  switch (need) {
    case Need::kNobody: return "nobody";
    case Need::kReaderOrLocal: return "reader_or_local";
    case Need::kReader: return "reader";
    case Need::kContributor: return "contributor";
    case Need::kOwner: return "owner";
    case Need::kOwnerOrFolder: return "owner_or_folder";
    case Need::kReaderOrRun: return "reader_or_run";
    case Need::kContributorOrRun: return "contributor_or_run";
    case Need::kNode: return "node";
    case Need::kAttempt: return "attempt";
    case Need::kAllocation: return "allocation";
  }
  return "";
}

std::string session_cookie_name(const App& app) {
  // Browsers share cookies between the ports of a host, and two servers may run on it.
  return "roost_session_" + app.url.substr(app.url.rfind(':') + 1);
}

std::string session_of(const App& app, const Request& request) {
  const std::string wanted = session_cookie_name(app) + "=";
  for (const auto& part : split(request.header("cookie"), ';')) {
    if (const auto pair = trim(part); pair.starts_with(wanted)) return std::string(pair.substr(wanted.size()));
  }
  return "";
}

std::string secret_of(const App& app, const Request& request) {
  const std::string bearer = bearer_of(request);
  return bearer.empty() ? session_of(app, request) : bearer;
}

std::string caller_name(const App& app, const Request& request) {
  std::string secret = secret_of(app, request);
  return secret.empty() ? "at " + request.peer : secret;
}

bool is_machine(const App& app, const Request& request) { return Access::is_machines(secret_of(app, request)); }

std::vector<int> lanes(int worker_threads) { return {worker_threads, kNodeThreads}; }

std::string error_body(const Error& error) {
  return to_text(
      {{"error", {{"code", error_code_name(error.code)}, {"message", error.message}}}});
}

Response json_response(const Json& body, int status) {
  Response response;
  response.status = status;
  response.body = to_text(body);
  return response;
}

void add_operation(Router& router, App& app, const char* method, const std::string& pattern,
                   const char* operation, Need need, ApiHandler handler, BodyRule body) {
  Route route;
  route.method = method;
  route.pattern = pattern;
  route.operation = operation;
  route.need = need_name(need);
  route.body = body;
  route.lane = lane_of(need);
  route.check_head = [&app, need](Request& request) -> std::optional<Response> {
    const auto who = admit(app, need, request);
    if (who) return std::nullopt;
    return error_response(request, who.error());
  };
  route.handler = [&app, need, operation, handler = std::move(handler)](Request& request) -> Response {
    const Activity activity(fmt::format("{} (request {})", operation, request.id));
    const auto who = admit(app, need, request);
    if (!who) return error_response(request, who.error());
    auto answer = handler(request, *who);
    if (!answer) return error_response(request, answer.error());
    // What has a length is there already and ends by itself.
    if (answer->stream && !answer->stream_length && is_known(*who)) {
      answer->stream = watched_stream(app, secret_of(app, request), std::move(answer->stream));
    }
    // A browser must neither guess that some output is a page nor keep what it was shown after the logout.
    answer->headers.emplace("X-Content-Type-Options", "nosniff");
    answer->headers.emplace("Cache-Control", "no-store");
    return std::move(*answer);
  };
  router.add(std::move(route));
}

Result<Json> json_body(const Request& request) { return parse_json(request.body, "the request body"); }

Result<std::int64_t> integer_query(const Request& request, const char* name, std::int64_t fallback,
                                   std::int64_t low, std::int64_t high) {
  const auto text = request.query_value(name);
  if (!text) return fallback;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || at != end || value < low || value > high) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is \"{}\"; it must be a whole number from {} to {}", name,
                            printable(*text), low, high));
  }
  return value;
}

std::string text_query(const Request& request, const char* name) {
  return request.query_value(name).value_or("");
}

Result<bool> flag_query(const Request& request, const char* name) {
  const std::string text = text_query(request, name);
  if (text == "true") return true;
  if (text.empty() || text == "false") return false;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" is \"{}\"; it must be true or false", name, printable(text)));
}

std::vector<std::string> text_queries(const Request& request, const char* name) {
  std::vector<std::string> values;
  const auto [first, last] = request.query.equal_range(name);
  for (auto it = first; it != last; ++it) values.push_back(it->second);
  return values;
}

namespace {

// Metrics, files, tags and properties: what the runs of a family may give one another, as Azure's do. The name is none of
// them, which the operation itself looks after.
bool adds_to_record(const Request& request) {
  const std::string run = "/api/v1/runs/" + request.parameters.at("run");
  if (request.method == "PATCH") return request.path == run;
  if (request.method == "PUT") return request.path.starts_with(run + "/artifacts/");
  return request.method == "POST" && request.path == run + "/records";
}

}  // namespace

Result<InBin> bin_query(const Request& request) {
  const std::string text = text_query(request, "deleted");
  if (text.empty()) return InBin::kLeftOut;
  if (text == "only") return InBin::kOnly;
  if (text == "any") return InBin::kToo;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"deleted\" is \"{}\"; it must be only (what is in the bin) or any", printable(text)));
}

Result<Run> request_run(Tx& tx, const Request& request, const Principal& principal) {
  ROOST_TRY(Run run, find_run(tx, request.parameters.at("run")));
  const bool only_reads = request.method == "GET" || request.method == "HEAD";
  if (!only_reads) ROOST_CHECK(check_not_in_bin(run));
  ROOST_CHECK(check_reach(tx, run, principal, only_reads ? Reach::kRead : adds_to_record(request) ? Reach::kAdd : Reach::kChange));
  return run;
}

Status check_reach(Tx& tx, const Run& run, const Principal& principal, Reach reach) {
  if (!principal.run_row) return {};
  if (reach != Reach::kChange && is_family(tx, run, *principal.run_row)) return {};
  return check_descends(tx, run, *principal.run_row);
}

Status check_descends(Tx& tx, const Run& run, std::int64_t ancestor) {
  Run at = run;
  for (int depth = 0; depth < 64; ++depth) {
    if (at.seq == ancestor) return {};
    if (!at.parent) break;
    ROOST_TRY(at, find_run(tx, *at.parent));
  }
  return fail(ErrorCode::kPermissionDenied,
              "a run's token is good for that run and its children only");
}

Router all_routes(App& app) {
  Router router;
  add_server_routes(router, app);
  add_workspace_routes(router, app);
  add_run_routes(router, app);
  add_rerun_routes(router, app);
  add_log_routes(router, app);
  add_metric_routes(router, app);
  add_artifact_routes(router, app);
  add_sweep_routes(router, app);
  add_endpoint_routes(router, app);
  add_endpoint_use_routes(router, app);
  add_snapshot_routes(router, app);
  add_blob_routes(router, app);
  add_model_routes(router, app);
  add_environment_routes(router, app);
  add_build_routes(router, app);
  add_data_routes(router, app);
  add_compute_routes(router, app);
  add_queue_routes(router, app);
  add_table_routes(router, app);
  add_bin_routes(router, app);
  add_alert_routes(router, app);
  add_retention_routes(router, app);
  add_disk_routes(router, app);
  add_view_routes(router, app);
  add_secret_routes(router, app);
  add_token_routes(router, app);
  add_node_routes(router, app);
  add_rank_routes(router, app);
  add_stack_routes(router, app);
  add_shell_routes(router, app);
  add_attempt_routes(router, app);
  add_allocation_routes(router, app);
  add_session_routes(router, app);
  add_live_routes(router, app);
  return router;
}

}  // namespace roost
