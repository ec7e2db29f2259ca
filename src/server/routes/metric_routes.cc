#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"
#include "observe/chart_query.h"
#include "observe/metric_store.h"
#include "observe/system_samples.h"
#include "records/run_records.h"
#include "server/routes/late_write.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

// The newest attempt unless the query names another.
std::int64_t attempt_for(const Request& request, const Run& run) {
  return integer_query(request, "attempt", run.attempt, 0, run.attempt).value_or(run.attempt);
}

// The points of a metric, however many, in pieces that need little memory.
class MetricPoints final : public ResponseStream {
 public:
  MetricPoints(App& app, MetricSummary metric, std::int64_t from, std::int64_t limit)
      : app_(app), metric_(std::move(metric)), at_(from),
        end_(from >= metric_.count ? from : from + std::min(limit, metric_.count - from)),
        page_(metric_.min ? kNumbers : kValues) {}

  Step next(std::string& piece) override {
    if (ended_) return Step::kEnd;
    if (!begun_) piece = begin();
    Json page;
    const std::int64_t some = std::min(page_, end_ - at_);
    const Status read = app_.db->read([&](Tx& tx) -> Status {
      ROOST_TRY(page, metric_points(tx, metric_, at_, some));
      return {};
    });
    if (!read) throw std::runtime_error(read.error().message);  // a list that just ends would look whole
    for (const auto& point : page["points"]) {
      if (std::exchange(has_points_, true)) piece += ',';
      piece += to_text(point);
    }
    at_ += some;
    if (at_ >= end_) piece += "]}";
    ended_ = at_ >= end_;
    return Step::kData;
  }

 private:
  // Numbers are small. Tables and images are not.
  static constexpr std::int64_t kNumbers = 2000;
  static constexpr std::int64_t kValues = 16;

  std::string begin() {
    begun_ = true;
    std::string text = to_text(Json{{"name", metric_.name}, {"kind", metric_.kind}, {"count", metric_.count}});
    text.pop_back();
    return text + ",\"points\":[";
  }

  App& app_;
  const MetricSummary metric_;
  std::int64_t at_;
  const std::int64_t end_;
  const std::int64_t page_;
  bool begun_ = false;
  bool has_points_ = false;
  bool ended_ = false;
};

Result<Response> get_metric(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const auto buckets, integer_query(request, "buckets", 0, 1, 100'000));
  ROOST_TRY(const auto from, integer_query(request, "from_index", 0, 0, INT64_MAX));
  ROOST_TRY(const auto limit, integer_query(request, "limit", 100'000, 1, 1'000'000));
  Json answer;
  Response response;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, request_run(tx, request, who));
    ROOST_TRY(auto metric, find_metric(tx, run, attempt_for(request, run), request.parameters["name"]));
    if (buckets > 0 && metric.count > buckets && metric.min) {
      ROOST_TRY(answer, metric_buckets(tx, metric, buckets));
    } else {
      response.stream = std::make_unique<MetricPoints>(app, std::move(metric), from, limit);
    }
    return {};
  }));
  if (response.stream) return response;
  return json_response(answer);
}

Result<std::optional<double>> number_query(const Request& request, const char* name) {
  const auto text = request.query_value(name);
  if (!text) return std::nullopt;
  double value = 0;
  const char* end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, value);
  if (error == std::errc() && at == end && std::isfinite(value)) return value;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" is \"{}\"; it must be a number", name, printable(*text)));
}

Result<ChartView> chart_view(const Request& request) {
  ChartView view;
  const std::string x = text_query(request, "x");
  if (!x.empty() && x != "step" && x != "time") {
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"x\" is \"{}\"; it must be step or time", printable(x)));
  }
  view.by_time = x == "time";
  ROOST_TRY(view.from, number_query(request, "from"));
  ROOST_TRY(view.to, number_query(request, "to"));
  ROOST_TRY(view.buckets, integer_query(request, "buckets", 1000, 1, 20'000));
  return view;
}

Result<Response> get_charts(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const ChartView view, chart_view(request));
  const auto names = text_queries(request, "name");
  if (names.size() > 100) return fail(ErrorCode::kInvalidArgument, "ask for at most 100 metrics at a time");
  Response response;
  response.body = "{\"items\":[";
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, request_run(tx, request, who));
    const std::int64_t attempt = attempt_for(request, run);
    for (const auto& name : names) {
      const auto metric = find_metric(tx, run, attempt, name);
      if (!metric && metric.error().code == ErrorCode::kNotFound) continue;
      if (!metric) return fail(metric.error());
      if (response.body.back() == '}') response.body += ',';
      ROOST_CHECK(append_chart(tx, *metric, view, response.body));
    }
    return {};
  }));
  response.body += "]}";
  return response;
}

// What a process outside a node reports: the lines of a spool, told by offset like a runner's, so that
// sending the same bytes again stores nothing twice.
Result<Response> append_records(App& app, Request& request, const Principal& who) {
  const std::string stream = text_query(request, "stream");
  ROOST_CHECK(check_registry_name(stream, "stream"));
  ROOST_TRY(const auto offset, integer_query(request, "offset", 0, 0, INT64_MAX / 2));
  Ingested taken;
  std::string id;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Run run, request_run(tx, request, who));
    id = run.id;
    // Bytes that came before the end may be sent again: their answer was lost.
    if (is_terminal(run.status)) {
      ROOST_TRY(taken, ingest_spool(tx, run, std::max<std::int64_t>(run.attempt, 1), "client/" + stream, 0, ""));
      const bool known = static_cast<std::uint64_t>(offset) + request.body.size() <= taken.length;
      return known ? Status() : check_not_ended(run);
    }
    ROOST_TRY(taken, ingest_spool(tx, run, std::max<std::int64_t>(run.attempt, 1), "client/" + stream,
                                  static_cast<std::uint64_t>(offset), request.body));
    if (taken.bad_lines == 0) return {};
    return add_notice(tx, run, fmt::format("{} record(s) were skipped: {}", taken.bad_lines,
                                           taken.first_bad));
  }));
  app.statistics.metric_points += taken.points;
  app.changes.run_changed(id);
  return json_response({{"length", taken.length}, {"skipped", taken.bad_lines}});
}

}  // namespace

void add_metric_routes(Router& router, App& app) {
  add_operation(router, app, "POST", "/api/v1/runs/{run}/records", "append_records",
                Need::kContributorOrRun,
                [&app](Request& request, const Principal& who) { return append_records(app, request, who); },
                {16 << 20, false});
  add_operation(router, app, "GET", "/api/v1/runs/{run}/metrics", "list_metrics", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) -> Result<Response> {
                  Json items = Json::array();
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_TRY(const Run run, request_run(tx, request, who));
                    ROOST_TRY(const auto all, list_metrics(tx, run, attempt_for(request, run)));
                    for (const auto& metric : all) items.push_back(summary_json(metric));
                    return {};
                  }));
                  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
                });
  add_operation(router, app, "GET", "/api/v1/runs/{run}/metrics/{name...}", "get_metric",
                Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) { return get_metric(app, request, who); });
  add_operation(router, app, "GET", "/api/v1/runs/{run}/charts", "get_charts", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) { return get_charts(app, request, who); });
  add_operation(router, app, "GET", "/api/v1/runs/{run}/system-metrics", "get_system_metrics",
                Need::kReaderOrRun, [&app](Request& request, const Principal& who) -> Result<Response> {
                  ROOST_TRY(const auto buckets, integer_query(request, "buckets", 1000, 1, 100'000));
                  Json answer;
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_TRY(const Run run, request_run(tx, request, who));
                    ROOST_TRY(answer, system_series(tx, run.seq, buckets));
                    return {};
                  }));
                  return json_response(answer);
                });
}

}  // namespace roost
