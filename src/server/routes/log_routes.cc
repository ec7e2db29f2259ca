#include <algorithm>

#include "domain/names.h"
#include "domain/rank_plan.h"
#include "records/run_records.h"
#include "server/routes/follow_run.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Result<Run> look_up(App& app, Request& request, const Principal& who) {
  Run run;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(run, request_run(tx, request, who));
    return {};
  }));
  return run;
}

// A log of any size in pieces.
class LogBytes final : public ResponseStream {
 public:
  LogBytes(App& app, std::string run, std::int64_t attempt, std::string name, std::uint64_t offset,
           std::uint64_t length)
      : app_(app), run_(std::move(run)), attempt_(attempt), name_(std::move(name)), offset_(offset),
        left_(length) {}

  Step next(std::string& piece) override {
    if (left_ == 0) return Step::kEnd;
    auto bytes = app_.logs->read(run_, attempt_, name_, offset_, std::min<std::uint64_t>(left_, 1 << 18));
    if (!bytes || bytes->empty()) return Step::kEnd;
    offset_ += bytes->size();
    left_ -= bytes->size();
    piece = std::move(*bytes);
    return Step::kData;
  }

 private:
  App& app_;
  const std::string run_;
  const std::int64_t attempt_;
  const std::string name_;
  std::uint64_t offset_;
  std::uint64_t left_;
};

Result<Response> get_log(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Run run, look_up(app, request, who));
  ROOST_CHECK(check_artifact_path(request.parameters["name"]));
  const std::string name = log_of_run(gang_of_spec(run.spec), request.parameters["name"]);
  // The build of its environment comes before the first attempt.
  const std::int64_t newest = name == kBuildLog ? 0 : run.attempt;
  ROOST_TRY(const auto attempt, integer_query(request, "attempt", newest, 0, run.attempt));
  ROOST_TRY(const auto offset, integer_query(request, "offset", 0, 0, INT64_MAX));
  ROOST_TRY(const auto limit, integer_query(request, "limit", INT64_MAX, 0, INT64_MAX));
  const auto from = static_cast<std::uint64_t>(offset);
  Response response;
  response.content_type = "text/plain; charset=utf-8";
  if (text_query(request, "follow") == "true") {
    response.stream = follow_log(app, run.id, attempt, name, from);
    return response;
  }
  std::uint64_t size = 0;
  if (auto known = app.logs->size(run.id, attempt, name)) {
    size = *known;
  } else if (rank_of_log(name) < 0) {
    return fail(known.error());
  }
  const std::uint64_t length =
      from >= size ? 0 : std::min<std::uint64_t>(size - from, static_cast<std::uint64_t>(limit));
  response.headers["X-Log-Size"] = std::to_string(size);
  response.stream_length = length;
  response.stream = std::make_unique<LogBytes>(app, run.id, attempt, name, from, length);
  return response;
}

}  // namespace

void add_log_routes(Router& router, App& app) {
  add_operation(router, app, "GET", "/api/v1/runs/{run}/logs", "list_logs", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) -> Result<Response> {
                  ROOST_TRY(const Run run, look_up(app, request, who));
                  Json items = Json::array();
                  for (std::int64_t attempt = 0; attempt <= run.attempt; ++attempt) {
                    for (const auto& log : app.logs->list(run.id, attempt)) {
                      items.push_back({{"name", log.name}, {"size", log.size}, {"attempt", attempt}});
                    }
                  }
                  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
                });
  add_operation(router, app, "GET", "/api/v1/runs/{run}/logs/{name...}", "get_log", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) { return get_log(app, request, who); });
}

}  // namespace roost
