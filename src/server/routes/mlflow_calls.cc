#include "server/routes/mlflow_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/activity.h"
#include "base/text.h"
#include "domain/version.h"
#include "mlflow/error_form.h"
#include "records/bin_records.h"
#include "records/run_records.h"
#include "records/wire_run_records.h"
#include "records/workspace_records.h"

namespace roost {
namespace {

constexpr const char* kDefaultWorkspace = "default";
// A dataset's profile may have 16 MB.
constexpr std::uint64_t kBodyLimit = 64 << 20;

// A browser must neither guess that an answer is a page nor keep what it was shown after the logout.
Response with_headers(Response response) {
  response.headers.emplace("X-Content-Type-Options", "nosniff");
  response.headers.emplace("Cache-Control", "no-store");
  return response;
}

// What is no JSON object has no fields; which are missing is said then.
Result<mlflow::WireFields> fields_of(const Request& request) {
  if (request.method == "GET" || request.method == "HEAD") return mlflow::WireFields(request.query);
  // Some calls say everything by their path.
  if (request.body.empty() && request.header("content-type").empty()) return mlflow::WireFields();
  const std::string type = lower(request.header("content-type"));
  if (trim(std::string_view(type).substr(0, type.find(';'))) != "application/json") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("Bad Request. Content-Type must be 'application/json'; it is '{}'", printable(type)));
  }
  const auto body = parse_json(request.body, "the request body");
  return body ? mlflow::WireFields(*body) : mlflow::WireFields();
}

// The part after `depth` slashes, still encoded.
std::string_view rest_of(const Request& request, std::size_t depth) {
  std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
  for (; depth > 0 && !path.empty(); --depth) {
    const auto slash = path.find('/', 1);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash);
  }
  return path;
}

Response plain(std::string text) {
  Response response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(text);
  return with_headers(std::move(response));
}

// What clients ask before they ask for anything: these need no token.
void add_open_routes(Router& router, const std::string& base) {
  const auto add = [&](const char* path, const char* operation, const std::function<Response()>& answer) {
    Route route;
    route.method = "GET";
    route.pattern = base + path;
    route.operation = operation;
    route.need = need_name(Need::kNobody);
    route.handler = [answer](Request&) { return answer(); };
    router.add(std::move(route));
  };
  add("/version", "mlflow_version", [] { return plain("3.17.2"); });
  add("/health", "mlflow_health", [] { return plain("OK"); });
}

}  // namespace

std::vector<std::string> mlflow_prefixes() {
  std::vector<std::string> all;
  for (const char* base : {"", "/mlflow/{workspace}"}) {
    for (const char* version : {"/api/2.0", "/api/3.0", "/ajax-api/2.0", "/ajax-api/3.0"})
      all.push_back(std::string(base) + version);
  }
  return all;
}

Result<std::string> mlflow_workspace(App& app, const Request& request, const Principal& who) {
  const auto named = request.parameters.find("workspace");
  if (named != request.parameters.end()) {
    ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
      ROOST_CHECK(find_workspace(tx, named->second));
      return {};
    }));
    return named->second;
  }
  if (!who.run_row) return kDefaultWorkspace;
  std::string workspace;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, run_by_row(tx, *who.run_row));
    workspace = run.workspace;
    return {};
  }));
  return workspace;
}

Response mlflow_error(const Request& request, Error error) {
  // Trouble with the server's own files says nothing about the caller's rights or what he asked for.
  if (error.errnum != 0 && error.code != ErrorCode::kResourceExhausted) error.code = ErrorCode::kInternal;
  if (error.code == ErrorCode::kInternal) error.message += fmt::format(" (request {})", request.id);
  Response response;
  response.status = mlflow::error_form(error.code).status;
  response.body = mlflow::error_text(error);
  if (response.status == 503) response.headers["Retry-After"] = "1";
  return with_headers(std::move(response));
}

void MlflowCalls::add(const char* method, const std::string& path, const char* operation, Need need,
                      MlflowHandler handler) {
  entries_.push_back(std::make_unique<Entry>(Entry{need, std::move(handler)}));
  Route route;
  route.method = method;
  route.pattern = path;
  route.operation = operation;
  route.lane = entries_.size() - 1;  // finds the entry again
  router_.add(std::move(route));
}

MlflowCalls::Found MlflowCalls::find(Request& request, std::string_view path) const {
  Router::Match match = router_.find(request.method, path);
  if (match.route == nullptr) return {};
  const auto workspace = request.parameters.extract("workspace");
  request.parameters = std::move(match.parameters);
  if (!workspace.empty()) request.parameters["workspace"] = workspace.mapped();
  const Entry& entry = *entries_[match.route->lane];
  return {match.route, entry.need, &entry.handler};
}

std::optional<Response> MlflowCalls::check_head(Request& request, std::string_view path) const {
  const Found found = find(request, path);
  if (found.handler == nullptr) return answer(request, path);
  const auto who = admit(app_, found.need, request);
  if (who) return std::nullopt;
  return mlflow_error(request, who.error());
}

Response MlflowCalls::answer(Request& request, std::string_view path) const {
  const Found found = find(request, path);
  if (found.handler == nullptr) {
    return mlflow_error(request,
                        Error{ErrorCode::kMethodNotAllowed,
                              fmt::format("Roost has no {} {} of MLflow's API; docs/mlflow.md says what it has",
                                          request.method, printable(request.path))});
  }
  const Activity activity(fmt::format("{} (request {})", found.route->operation, request.id));
  const auto handled = [&]() -> Result<Response> {
    ROOST_TRY(const Principal who, admit(app_, found.need, request));
    ROOST_TRY(const std::string workspace, mlflow_workspace(app_, request, who));
    ROOST_TRY(const mlflow::WireFields fields, fields_of(request));
    MlflowCall call{app_, request, who, workspace, fields};
    return (*found.handler)(call);
  };
  auto response = handled();
  if (!response) return mlflow_error(request, response.error());
  return with_headers(std::move(*response));
}

Result<InBin> mlflow_view(const MlflowCall& call, const char* field) {
  ROOST_TRY(const std::string view, call.fields.text(field));
  if (view == "DELETED_ONLY") return InBin::kOnly;
  return view == "ALL" ? InBin::kToo : InBin::kLeftOut;
}

Result<Run> mlflow_run(Tx& tx, const MlflowCall& call, Reach reach) {
  ROOST_TRY(Run run, mlflow_run_in_bin_too(tx, call, reach));
  if (reach != Reach::kRead && is_in_bin(run)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("The run {} must be in the 'active' state. Current state is deleted.", run.id));
  }
  return run;
}

Result<Run> mlflow_run_in_bin_too(Tx& tx, const MlflowCall& call, Reach reach) {
  ROOST_TRY(const std::string id, call.fields.run_id());
  ROOST_TRY(Run run, find_wire_run(tx, call.workspace, id));
  ROOST_CHECK(check_reach(tx, run, call.who, reach));
  return run;
}

void add_mlflow_routes(Router& router, App& app) {
  const auto calls = std::make_shared<MlflowCalls>(app);
  add_mlflow_experiment_calls(*calls);
  add_mlflow_run_calls(*calls);
  add_mlflow_metric_calls(*calls);
  add_mlflow_search_calls(*calls);
  add_mlflow_model_calls(*calls);
  add_mlflow_registry_calls(*calls);
  add_mlflow_version_calls(*calls);
  add_mlflow_file_calls(*calls);
  add_mlflow_artifact_routes(router, app);
  calls->add("GET", "/server-info", "mlflow_server_info", Need::kNobody, [](MlflowCall&) -> Result<Response> {
    return json_response({{"store_type", "SqlStore"},
                          {"workspaces_enabled", false},
                          {"trace_archival_enabled", false},
                          {"multipart_uploads_enabled", false},
                          {"multipart_downloads_enabled", false},
                          {"features_enabled", Json::object()}});
  });
  for (const auto& prefix : mlflow_prefixes()) {
    for (const char* method : {"GET", "POST", "PATCH", "DELETE"}) {
      Route route;
      route.method = method;
      route.pattern = prefix + "/mlflow/{call...}";
      route.operation = "mlflow";
      route.body = {kBodyLimit, false};
      const auto depth = static_cast<std::size_t>(std::count(prefix.begin(), prefix.end(), '/')) + 1;
      route.check_head = [calls, depth](Request& request) {
        return calls->check_head(request, rest_of(request, depth));
      };
      route.handler = [calls, depth](Request& request) { return calls->answer(request, rest_of(request, depth)); };
      router.add(std::move(route));
    }
  }
  add_open_routes(router, "");
  add_open_routes(router, "/mlflow/{workspace}");
}

}  // namespace roost
