#include "score/script_servant.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "score/access_log.h"
#include "score/answer_headers.h"
#include "score/script_metrics.h"
#include "score/script_swagger.h"
#include "score/script_workers.h"

namespace roost {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::uint64_t kMostQueue = 1000;  // each that waits has a thread
constexpr int kSpareThreads = 8;            // for those that are refused, and for what needs no worker
constexpr std::string_view kWorkerProgram =
    "import sys; sys.path[:] = [place for place in sys.path if place]; from roost.scoring.worker import main; main(3)";

WorkerLaunch launch_of(const ScriptServantOptions& options, std::string python) {
  WorkerLaunch launch;
  launch.words = {std::move(python), "-u", "-c", std::string(kWorkerProgram)};
  launch.folder = options.app_root;
  auto& variables = launch.variables;
  variables["AML_APP_ROOT"] = options.app_root;
  variables["AZUREML_ENTRY_SCRIPT"] = options.entry_script;
  variables["AZUREML_SOURCE_DIRECTORY"] = options.source_directory;
  if (!options.model_dir.empty()) variables["AZUREML_MODEL_DIR"] = options.model_dir;
  variables["WORKER_COUNT"] = std::to_string(options.workers);
  variables["SCORING_TIMEOUT_MS"] = std::to_string(options.scoring_timeout_ms);
  variables["SERVICE_NAME"] = options.service_name;
  if (options.sklearn) variables["ROOST_SCORING"] = "sklearn";
  variables["ROOST_REPLICA"] = "";  // the order is the replica's, with what is in it
  if (!options.sdk.empty()) {
    const char* const before = std::getenv("PYTHONPATH");
    variables["PYTHONPATH"] = fmt::format("{}/in_run:{}{}{}", options.sdk.string(), options.sdk.string(),
                                          before && *before ? ":" : "", before ? before : "");
  }
  return launch;
}

// The request as the script sees it: without what is between the front and the replica.
Json request_head(const Request& request, std::uint64_t timeout_ms) {
  Json headers = Json::object();
  for (const auto& [name, value] : request.headers) {
    if (!name.starts_with("x-roost-")) headers[name] = value;
  }
  return {{"method", request.method},
          {"path", request.path},
          {"query", request.query_text},
          {"headers", std::move(headers)},
          {"timeout_ms", timeout_ms}};
}

Response answer_of(WorkerFrame frame) {
  Response response;
  response.status = static_cast<int>(std::clamp<std::int64_t>(integer_at(frame.head, "status", 500), 200, 599));
  response.content_type.clear();
  for (const Json& pair : array_at(frame.head, "headers")) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) continue;
    const auto name = pair[0].get<std::string>();
    const auto value = pair[1].get<std::string>();
    const std::string plain = lower(name);
    if (plain == "content-type") {
      response.content_type = value;
    } else if (!is_reserved_header(plain) && !name.empty()) {
      add_header(response, name, value);
    }
  }
  response.body = std::move(frame.body);
  return response;
}

Response busy_response(std::string_view message) {
  Response response = message_response(503, message);
  response.headers["Retry-After"] = "1";
  return response;
}

Response failed_run(std::string_view message) {
  Response response = message_response(500, message);
  response.headers["x-ms-run-function-failed"] = "True";
  return response;
}

class WorkersServant final : public ScriptServant {
 public:
  WorkersServant(ScriptServantOptions options, std::string python)
      : options_(std::move(options)), cors_(options_.cors_origins), workers_(options_, launch_of(options_, std::move(python))) {}

  Status start() override {
    ROOST_CHECK(workers_.start());
    is_raw_ = flag_at(workers_.about().head, "raw");
    swagger_.emplace(stored_json(workers_.about().body));
    log_service(ServiceLevel::kInfo, fmt::format("{} worker(s) ready; scoring timeout is set to {} ms", options_.workers,
                                                 options_.scoring_timeout_ms));
    return {};
  }

  void add_routes(Router& router) override {
    const BodyRule body{options_.max_body_bytes, false};
    for (const char* method : {"GET", "POST", "OPTIONS"}) {
      router.add({method, "/score", "score", body, [this](Request& request) { return score(request); }});
    }
    router.add({"GET", "/swagger.json", "swagger", {}, [this](Request& request) { return swagger(request); }});
    router.add({"GET", "/", "health", {}, [this](Request& request) { return health(request); }});
  }

  bool is_ready() const override { return workers_.serves(); }
  std::string failure() const override { return workers_.failure(); }
  int threads_wanted() const override {
    return options_.workers + static_cast<int>(options_.queue_limit) + kSpareThreads;
  }
  ServantLoad load() const override { return {workers_.busy(), workers_.waiting(), metrics_.requests(), metrics_.errors()}; }
  std::string metrics() const override {
    return metrics_.text(workers_.busy(), workers_.waiting(), workers_.restarts());
  }
  void stop() override { workers_.stop(options_.drain); }

 private:
  Response score(Request& request) {
    const auto began = steady_clock::now();
    std::chrono::nanoseconds waited{0};
    Response response = with_ids(request, [&] { return ask(request, waited); });
    const std::chrono::duration<double> took = steady_clock::now() - began;
    metrics_.count(response.status, took, waited);
    if (options_.log_access) {
      log_service(ServiceLevel::kInfo, access_text(request.method, request.path, request.query_text, response.status,
                                                   took.count(), response.body.size()));
    }
    return response;
  }

  Response ask(Request& request, std::chrono::nanoseconds& waited) {
    if (request.method == "HEAD") return message_response(405, "Method not allowed");
    if (request.method == "OPTIONS" && !is_raw_) {
      Response response;
      response.content_type = "text/html; charset=utf-8";
      return response;
    }
    Asked asked = workers_.ask(request_head(request, options_.scoring_timeout_ms), request.body);
    waited = asked.waited;
    switch (asked.outcome) {
      case Asked::kAnswered:
        return answer_of(std::move(asked.frame));
      case Asked::kQueueFull:
        return busy_response(fmt::format("All workers are busy, and {} requests wait already. Try again in a moment.",
                                         options_.queue_limit));
      case Asked::kNoWorker:
        return busy_response(fmt::format("No worker was free within {} ms. Try again in a moment.", options_.queue_wait_ms));
      case Asked::kStopped:
        return busy_response(workers_.failure().empty() ? "The service is stopping. Try again in a moment."
                                                        : "The scoring script cannot be run any more. Check the logs.");
      case Asked::kDied:
        return failed_run(fmt::format("The request was not finished: {}. Check the logs for more info.", asked.text));
      case Asked::kHung:
        return failed_run(fmt::format("Scoring timeout after {} ms", options_.scoring_timeout_ms));
      case Asked::kUnread:  // ask() has asked another
      case Asked::kBroken:
        break;
    }
    return failed_run("The answer of the scoring script could not be read: " + asked.text);
  }

  Response swagger(Request& request) {
    return with_ids(request, [&] {
      const auto text = swagger_->document(request.query_value("version").value_or(""), request.header(options_.prefix_header));
      if (!text) return message_response(404, text.error().message);
      Response response;
      response.body = *text;
      return response;
    });
  }

  Response health(Request& request) {
    return with_ids(request, [&] {
      if (!workers_.serves()) return busy_response("The service is not ready.");
      Response response;
      response.content_type = "text/plain; charset=utf-8";
      response.body = "Healthy";
      return response;
    });
  }

  template <class Make>
  Response with_ids(Request& request, Make make) {
    auto ids = read_ids(request);
    Response response = ids ? make() : message_response(431, ids.error().message);
    if (ids) {
      request.id = ids->request;  // the HTTP server answers with it
      set_id_headers(response, *ids);
    } else {
      set_header(response, "x-ms-server-version", "roost/" ROOST_VERSION);
    }
    cors_.apply(request, response);
    return response;
  }

  const ScriptServantOptions options_;
  const CorsRule cors_;
  ScriptMetrics metrics_;
  ScriptWorkers workers_;
  bool is_raw_ = false;
  std::optional<ScriptSwagger> swagger_;
};

}  // namespace

Result<std::unique_ptr<ScriptServant>> make_script_servant(ScriptServantOptions options) {
  std::error_code error;
  options.app_root = fs::absolute(options.app_root.empty() ? fs::path(".") : options.app_root, error).lexically_normal();
  options.queue_limit = std::min(options.queue_limit, kMostQueue);
  options.workers = std::max(1, options.workers);
  if (!options.sklearn) {
    fs::path script = fs::path(options.entry_script).lexically_normal();
    if (!fs::is_regular_file(options.app_root / script, error)) script = options.source_directory / script;
    if (options.entry_script.empty() || !fs::is_regular_file(options.app_root / script, error)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("there is no entry script '{}' below {}", printable(options.entry_script), options.app_root.string()));
    }
    options.entry_script = script;
  }
  auto python = find_program(options.python);
  if (!python && options.python == "python") python = find_program("python3");  // outside of a run
  if (!python) return fail(std::move(python).error());
  return std::make_unique<WorkersServant>(std::move(options), *std::move(python));
}

}  // namespace roost
