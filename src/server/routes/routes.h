#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "domain/run.h"
#include "net/router.h"
#include "server/app.h"

namespace roost {

// Who may call an operation. A person's role includes the lower ones; run tokens reach only what says so, and there only
// what request_run() gives and their own workspace. The contract names it as x-roost-need.
enum class Need {
  kNobody,          // no token
  kReaderOrLocal,   // without a token from this machine, if it is also addressed as this machine
  kReader,
  kContributor,
  kOwner,
  kOwnerOrFolder,   // also by what only the data folder tells: Access::stop_token()
  kReaderOrRun,
  kContributorOrRun,
  kNode,            // the node named in the path
  kAttempt,         // the run and attempt named in the path
  kAllocation,      // the Slurm job named in the path; any, if none is
};

std::string_view need_name(Need need);

using ApiHandler = std::function<Result<Response>(Request&, const Principal&)>;

// Adds an operation: authenticates, authorises, calls, and turns an Error into its answer. The caller of one with a
// large body is told before it is read.
void add_operation(Router& router, App& app, const char* method, const std::string& pattern,
                   const char* operation, Need need, ApiHandler handler, BodyRule body = {});

// Who the caller is, if it may call; nobody in particular where no token is needed.
Result<Principal> admit(App& app, Need need, const Request& request);

// A logged-in browser's cookie; "" when there is none.
std::string session_cookie_name(const App& app);
std::string session_of(const App& app, const Request& request);
// What the caller is known by: its token, or else its session.
std::string secret_of(const App& app, const Request& request);
// That, or else its address; and whether it says that it is a run or a node. Neither is checked.
std::string caller_name(const App& app, const Request& request);
bool is_machine(const App& app, const Request& request);

// The worker pools beside that of people's requests, by their number of threads: one for what runners report of their
// runs, and one for heartbeats and orders, which must get through whatever the rest does.
std::vector<int> lanes(int worker_threads);

Response json_response(const Json& body, int status = 200);
std::string error_body(const Error& error);

Result<Json> json_body(const Request& request);
Result<std::int64_t> integer_query(const Request& request, const char* name, std::int64_t fallback,
                                   std::int64_t low, std::int64_t high);
std::string text_query(const Request& request, const char* name);
// "true", "false" or absent; anything else is refused by name.
Result<bool> flag_query(const Request& request, const char* name);
std::vector<std::string> text_queries(const Request& request, const char* name);
// "deleted": "only" or "any"; without it what is in the bin is left out.
Result<InBin> bin_query(const Request& request);

// The run named in the path, if the caller may do to it what the request wants. A run's token reads that run, those below
// and above it and its siblings, adds metrics, files, tags and properties to them, and changes itself and those below it.
// One in the bin is only read.
Result<Run> request_run(Tx& tx, const Request& request, const Principal& principal);

// The same rule for a run that something else than the path names.
enum class Reach { kRead, kAdd, kChange };
Status check_reach(Tx& tx, const Run& run, const Principal& principal, Reach reach);

// Whether the run is the one in row `ancestor`, or one of its children or theirs.
Status check_descends(Tx& tx, const Run& run, std::int64_t ancestor);

// One file per resource.
void add_server_routes(Router& router, App& app);
void add_workspace_routes(Router& router, App& app);
void add_run_routes(Router& router, App& app);
void add_rerun_routes(Router& router, App& app);
void add_log_routes(Router& router, App& app);
void add_metric_routes(Router& router, App& app);
void add_artifact_routes(Router& router, App& app);
void add_model_routes(Router& router, App& app);
void add_environment_routes(Router& router, App& app);
void add_build_routes(Router& router, App& app);
void add_data_routes(Router& router, App& app);
void add_sweep_routes(Router& router, App& app);
void add_endpoint_routes(Router& router, App& app);
void add_endpoint_use_routes(Router& router, App& app);
void add_snapshot_routes(Router& router, App& app);
void add_blob_routes(Router& router, App& app);
void add_compute_routes(Router& router, App& app);
void add_queue_routes(Router& router, App& app);
void add_table_routes(Router& router, App& app);
void add_bin_routes(Router& router, App& app);
void add_alert_routes(Router& router, App& app);
void add_retention_routes(Router& router, App& app);
void add_disk_routes(Router& router, App& app);
void add_view_routes(Router& router, App& app);
void add_secret_routes(Router& router, App& app);
void add_token_routes(Router& router, App& app);
void add_node_routes(Router& router, App& app);
void add_rank_routes(Router& router, App& app);
void add_stack_routes(Router& router, App& app);
void add_shell_routes(Router& router, App& app);
void add_attempt_routes(Router& router, App& app);
void add_allocation_routes(Router& router, App& app);
void add_session_routes(Router& router, App& app);
void add_live_routes(Router& router, App& app);
// What comes for endpoints to the server's own address goes on to the front. No part of the API, and not among all_routes.
inline constexpr const char* kCallEndpoint = "call_endpoint";
void add_endpoint_proxy_routes(Router& router, App& app);
// MLflow's REST API: a contract of its own (api/mlflow.yaml), and not among all_routes.
void add_mlflow_routes(Router& router, App& app);
// The studio's pages. They are no part of the API, and not among all_routes.
void add_studio_routes(Router& router);

Router all_routes(App& app);

}  // namespace roost
