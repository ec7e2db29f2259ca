#include <algorithm>

#include <fmt/format.h>

#include "domain/log_names.h"
#include "domain/names.h"
#include "domain/rank_plan.h"
#include "records/retention_records.h"
#include "records/run_records.h"
#include "observe/log_search.h"
#include "server/routes/browser_file.h"
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
  ROOST_CHECK(app.db->read([&](Tx& tx) { return check_not_removed(tx, run, RunPart::kLogs); }));
  ROOST_CHECK(check_artifact_path(request.parameters["name"]));
  const std::string name = log_of_run(gang_of_spec(run.spec), request.parameters["name"]);
  // The build of its environment comes before the first attempt.
  const std::int64_t newest = name == kBuildLog ? 0 : run.attempt;
  ROOST_TRY(const auto attempt, integer_query(request, "attempt", newest, 0, run.attempt));
  ROOST_TRY(const auto offset, integer_query(request, "offset", 0, 0, INT64_MAX));
  ROOST_TRY(const auto limit, integer_query(request, "limit", INT64_MAX, 0, INT64_MAX));
  auto from = static_cast<std::uint64_t>(offset);
  Response response;
  response.content_type = "text/plain; charset=utf-8";
  ROOST_TRY(const bool follow, flag_query(request, "follow"));
  ROOST_TRY(const auto tail, integer_query(request, "tail", -1, 0, INT64_MAX));
  ROOST_TRY(const bool download, flag_query(request, "download"));
  if (tail >= 0 && (follow || request.query_value("offset"))) {
    return fail(ErrorCode::kInvalidArgument, "\"tail\" asks for the end; it goes without \"offset\" and \"follow\"");
  }
  if (download) response.headers["Content-Disposition"] = attachment(fmt::format("{}-{}", run.id, file_name(name)));
  if (follow) {
    response.stream = follow_log(app, run.id, attempt, name, from);
    return response;
  }
  std::uint64_t size = 0;
  if (auto known = app.logs->size(run.id, attempt, name)) {
    size = *known;
  } else if (rank_of_log(name) < 0) {
    return fail(known.error());
  }
  if (tail >= 0) from = size - std::min(size, static_cast<std::uint64_t>(tail));
  response.headers["X-Log-Offset"] = std::to_string(from);
  const std::uint64_t length =
      from >= size ? 0 : std::min<std::uint64_t>(size - from, static_cast<std::uint64_t>(limit));
  response.headers["X-Log-Size"] = std::to_string(size);
  response.stream_length = length;
  response.stream = std::make_unique<LogBytes>(app, run.id, attempt, name, from, length);
  return response;
}

Result<Response> search_log(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Run run, look_up(app, request, who));
  std::string asked = text_query(request, "name");
  if (asked.empty()) asked = kDriverLog;
  ROOST_CHECK(check_artifact_path(asked));
  const std::string name = log_of_run(gang_of_spec(run.spec), asked);
  ROOST_TRY(const auto attempt, integer_query(request, "attempt", name == kBuildLog ? 0 : run.attempt, 0, run.attempt));
  LogSearch search;
  search.text = text_query(request, "text");
  ROOST_TRY(search.errors, flag_query(request, "errors"));
  if (search.text.empty() != search.errors || search.text.size() > 500) {
    return fail(ErrorCode::kInvalidArgument,
                "give either \"text\", of 1 to 500 bytes, to look for, or \"errors=true\" for lines that look like errors");
  }
  ROOST_TRY(const auto offset, integer_query(request, "offset", 0, 0, INT64_MAX));
  ROOST_TRY(const auto limit, integer_query(request, "limit", 1000, 1, 10'000));
  search.offset = static_cast<std::uint64_t>(offset);
  search.limit = static_cast<std::size_t>(limit);
  ROOST_TRY(const LogMatches found, search_log(*app.logs, run.id, attempt, name, search));
  Json items = Json::array();
  for (const auto& match : found.items) items.push_back({{"offset", match.offset}, {"line", match.line}});
  return json_response({{"items", std::move(items)}, {"size", found.size},
                        {"next_offset", found.next ? Json(*found.next) : Json()}});
}

}  // namespace

void add_log_routes(Router& router, App& app) {
  add_operation(router, app, "GET", "/api/v1/runs/{run}/logs", "list_logs", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) -> Result<Response> {
                  ROOST_TRY(const Run run, look_up(app, request, who));
                  Json items = Json::array();
                  for (std::int64_t attempt = 0; attempt <= run.attempt; ++attempt) {
                    for (const auto& log : app.logs->list(run.id, attempt)) {
                      items.push_back({{"name", log.name}, {"title", plain_log_name(log.name)}, {"size", log.size}, {"attempt", attempt}});
                    }
                  }
                  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
                });
  add_operation(router, app, "GET", "/api/v1/runs/{run}/log-search", "search_log", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) { return search_log(app, request, who); });
  add_operation(router, app, "GET", "/api/v1/runs/{run}/logs/{name...}", "get_log", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) { return get_log(app, request, who); });
}

}  // namespace roost
