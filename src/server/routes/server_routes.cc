#include <unistd.h>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "base/yaml.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "server/embedded_api.h"
#include "server/front_process.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Result<std::string> openapi_json() {
  static const Result<std::string> text = []() -> Result<std::string> {
    ROOST_TRY(const Json document, parse_yaml(embedded_api().front().second, "api/openapi.yaml"));
    return to_text(document);
  }();
  return text;
}

long resident_bytes() {
  long pages = 0;
  if (const auto statm = read_file("/proc/self/statm")) std::sscanf(statm->c_str(), "%*d %ld", &pages);
  return pages * sysconf(_SC_PAGESIZE);
}

Result<std::string> prometheus_text(App& app) {
  std::string out;
  const auto family = [&](std::string_view name, std::string_view type, std::string_view help) {
    out += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
  };
  family("roost_uptime_seconds", "gauge", "Seconds since the server started.");
  out += fmt::format("roost_uptime_seconds {:.3f}\n",
                     static_cast<double>(app.clock.now() - app.started) / kSecond);
  family("roost_resident_bytes", "gauge", "Memory of the server process.");
  out += fmt::format("roost_resident_bytes {}\n", resident_bytes());
  family("roost_log_bytes_total", "counter", "Bytes of logs received.");
  out += fmt::format("roost_log_bytes_total {}\n", app.statistics.log_bytes.load());
  family("roost_metric_points_total", "counter", "Metric points stored.");
  out += fmt::format("roost_metric_points_total {}\n", app.statistics.metric_points.load());
  family("roost_runs_submitted_total", "counter", "Runs submitted since the server started.");
  out += fmt::format("roost_runs_submitted_total {}\n", app.statistics.runs_submitted.load());
  family("roost_http_requests_total", "counter", "Requests by operation and status.");
  for (const auto& [key, count] : app.statistics.requests()) {
    out += fmt::format("roost_http_requests_total{{operation=\"{}\",status=\"{}\"}} {}\n", key.first,
                       key.second, count.requests);
  }
  family("roost_http_request_seconds_total", "counter", "Time spent in requests by operation.");
  for (const auto& [key, count] : app.statistics.requests()) {
    out += fmt::format("roost_http_request_seconds_total{{operation=\"{}\",status=\"{}\"}} {:.6f}\n",
                       key.first, key.second, count.seconds);
  }
  family("roost_runs", "gauge", "Runs that have not ended, by status.");
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const auto runs, count_active_by_status(tx));
    for (const auto& [status, count] : runs) out += fmt::format("roost_runs{{status=\"{}\"}} {}\n", status, count);
    family("roost_nodes", "gauge", "Nodes by compute and state.");
    ROOST_TRY(const auto nodes, count_nodes_by_state(tx));
    for (const auto& [compute, state, count] : nodes) {
      out += fmt::format("roost_nodes{{compute=\"{}\",state=\"{}\"}} {}\n", compute, state, count);
    }
    return {};
  }));
  // What endpoints do, if there are any.
  if (app.front_statistics.is_up()) out += app.front->metrics().value_or("");
  return out;
}

// A server whose writer stands still answers what it reads and nothing else: that is not well.
Status check_health(const App& app) {
  const auto limit = std::chrono::duration<double>(app.config.writer_stall_seconds);
  const auto stalled = app.db->stalled(std::chrono::duration_cast<std::chrono::nanoseconds>(limit));
  if (!stalled) return {};
  return fail(ErrorCode::kUnavailable,
              fmt::format("{} has been writing to the database for {} s without getting on, and others wait behind it",
                          stalled->activity, std::chrono::duration_cast<std::chrono::seconds>(stalled->since).count()));
}

}  // namespace

void add_server_routes(Router& router, App& app) {
  add_operation(router, app, "GET", "/healthz", "get_health", Need::kNobody,
                [&app](Request&, const Principal&) -> Result<Response> {
                  ROOST_CHECK(check_health(app));
                  return json_response({{"status", "ok"}, {"version", ROOST_VERSION}});
                });
  add_operation(router, app, "GET", "/metrics", "get_prometheus_metrics", Need::kReaderOrLocal,
                [&app](Request&, const Principal&) -> Result<Response> {
                  Response response;
                  response.content_type = "text/plain; version=0.0.4";
                  ROOST_TRY(response.body, prometheus_text(app));
                  return response;
                });
  add_operation(router, app, "GET", "/api/v1/openapi.json", "get_openapi", Need::kNobody,
                [](Request&, const Principal&) -> Result<Response> {
                  Response response;
                  ROOST_TRY(response.body, openapi_json());
                  return response;
                });
  add_operation(router, app, "GET", "/api/v1/server", "get_server", Need::kReader,
                [&app](Request&, const Principal&) -> Result<Response> {
                  return json_response({{"version", ROOST_VERSION},
                                        {"address", app.url},
                                        {"data", app.config.data.string()},
                                        {"default_workspace", "default"},
                                        {"started_at", format_time(app.started)},
                                        {"pid", ::getpid()},
                                        {"python", app.python}});
                });
  add_operation(router, app, "POST", "/api/v1/server/shutdown", "stop_server", Need::kOwnerOrFolder,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const Json body, json_body(request));
                  JsonFields fields(body, "the request");
                  const bool keep = fields.boolean("keep_runs", false);
                  ROOST_CHECK(fields.done());
                  app.request_stop(keep);
                  return json_response({{"stopping", true}, {"keep_runs", keep}}, 202);
                });
  add_operation(router, app, "GET", "/api/v1/vm-sizes", "list_vm_sizes", Need::kReader,
                [](Request&, const Principal&) -> Result<Response> {
                  Json items = Json::array();
                  for (const auto& size : vm_sizes()) {
                    items.push_back({{"name", size.name},
                                     {"cpus", size.cpus},
                                     {"memory_mb", size.memory_mb},
                                     {"gpus", size.gpus},
                                     {"gpu_name", size.gpu_name}});
                  }
                  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
                });
}

}  // namespace roost
