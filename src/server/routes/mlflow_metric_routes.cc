#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "mlflow/label_names.h"
#include "mlflow/run_wire.h"
#include "observe/metric_store.h"
#include "records/logged_model_records.h"
#include "records/run_records.h"
#include "records/wire_run_records.h"
#include "server/routes/mlflow_runs.h"

namespace roost {
namespace {

constexpr std::int64_t kMostHistory = 1'000'000;
constexpr std::int64_t kMostSampled = 2500;
constexpr std::size_t kMostRuns = 100;

struct ReadMetric {
  std::string key;
  MetricPoint point;
  std::string model;  // the logged model that it is of, if any
  std::string dataset_name;
  std::string dataset_digest;
};

Result<ReadMetric> read_metric(const mlflow::WireFields& fields) {
  ReadMetric metric;
  ROOST_TRY(metric.key, fields.required_text("key"));
  ROOST_CHECK(mlflow::check_label_name(metric.key, "metric"));
  ROOST_TRY(metric.point.value, fields.required_number("value"));
  ROOST_TRY(const auto at, read_time(fields, "timestamp"));
  if (!at) return fail(ErrorCode::kInvalidArgument, "Missing value for required parameter 'timestamp'");
  metric.point.at = *at;
  ROOST_TRY(const auto step, fields.integer("step"));
  if (step == MetricPoint::kNoStep)
    return fail(ErrorCode::kInvalidArgument, "Invalid value for parameter 'step' supplied");
  metric.point.step = step.value_or(0);
  ROOST_TRY(metric.model, fields.text("model_id"));
  ROOST_TRY(metric.dataset_name, fields.text("dataset_name"));
  ROOST_TRY(metric.dataset_digest, fields.text("dataset_digest"));
  return metric;
}

std::int64_t attempt_of(const Run& run) { return std::max<std::int64_t>(run.attempt, 1); }

Status write_metrics(Tx& tx, Run& run, const std::vector<ReadMetric>& metrics, std::int64_t& added) {
  std::vector<LoggedPoint> points;
  for (const auto& metric : metrics) points.push_back({metric.key, metric.point});
  ROOST_TRY(added, ingest_points(tx, run, attempt_of(run), points));
  for (const auto& metric : metrics) {
    if (metric.model.empty()) continue;
    ROOST_TRY(const LoggedModel model, find_logged_model(tx, run.workspace, metric.model));
    ROOST_CHECK(put_logged_model_metric(tx, model,
                                        {metric.key, metric.point.value, metric.point.at, metric.point.step, run.seq,
                                         metric.dataset_name, metric.dataset_digest}));
  }
  return {};
}

// What one batch brings; all of it is kept or nothing.
struct Batch {
  std::vector<ReadMetric> metrics;
  Params params;
  TagChanges tags;
};

Result<Response> log(MlflowCall& call, const Batch& batch) {
  std::string id;
  std::int64_t added = 0;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Run run, mlflow_run(tx, call, Reach::kAdd));
    id = run.id;
    if (!batch.metrics.empty()) ROOST_CHECK(check_logs(tx, call, run, "metrics were logged"));
    ROOST_CHECK(write_metrics(tx, run, batch.metrics, added));
    if (!batch.params.empty()) ROOST_CHECK(check_logs(tx, call, run, "parameters were logged"));
    ROOST_CHECK(log_params(tx, run, batch.params));
    if (!batch.tags.empty()) ROOST_CHECK(check_labels_run(tx, call, run, "its tags changed"));
    return put_tags(tx, run, batch.tags);
  }));
  call.app.statistics.metric_points += added;
  call.app.changes.run_changed(id);
  return empty_answer();
}

Result<Response> log_metric(MlflowCall& call) {
  Batch batch;
  ROOST_TRY(ReadMetric metric, read_metric(call.fields));
  batch.metrics.push_back(std::move(metric));
  return log(call, batch);
}

Status check_size(std::size_t size, std::size_t most, std::string_view what) {
  if (size <= most) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("A batch logging request can contain at most {} {}. Got {}. Please split up {} across multiple "
                  "requests and try again.",
                  most, what, size, what));
}

Result<Response> log_batch(MlflowCall& call) {
  ROOST_TRY(const auto metrics, call.fields.objects("metrics"));
  Batch batch;
  ROOST_TRY(batch.params, read_params(call.fields, "params"));
  ROOST_TRY(batch.tags, read_tags(call.fields, "tags"));
  ROOST_CHECK(check_size(metrics.size(), mlflow::kBatchMetrics, "metrics"));
  ROOST_CHECK(check_size(batch.params.size(), mlflow::kBatchParams, "params"));
  ROOST_CHECK(check_size(batch.tags.size(), mlflow::kBatchTags, "tags"));
  ROOST_CHECK(check_size(metrics.size() + batch.params.size() + batch.tags.size(), mlflow::kBatchTotal,
                         "metrics, params, and tags"));
  for (const auto& metric : metrics) {
    ROOST_TRY(ReadMetric read, read_metric(metric));
    batch.metrics.push_back(std::move(read));
  }
  return log(call, batch);
}

void append_point(std::string& out, const std::string& key, const MetricPoint& point, std::string_view rest = "") {
  if (out.back() == '}') out += ',';
  mlflow::append_metric(out, {key, point.value, point.at, point.step == MetricPoint::kNoStep ? 0 : point.step}, rest);
}

Result<Response> get_history(MlflowCall& call) {
  ROOST_TRY(const std::string key, call.fields.required_text("metric_key"));
  ROOST_TRY(const std::int64_t offset, page_offset(call.fields));
  ROOST_TRY(const std::int64_t limit, max_results(call.fields, kMostHistory, kMostHistory));
  ROOST_CHECK(call.fields.run_id());
  std::vector<MetricPoint> points;
  const Status read = call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, mlflow_run(tx, call, Reach::kRead));
    ROOST_TRY(points, ordered_numbers(tx, run.seq, attempt_of(run), key));
    return {};
  });
  if (!read && read.error().code != ErrorCode::kNotFound) return fail(read.error());
  const auto count = static_cast<std::int64_t>(points.size());
  if (offset >= count) return empty_answer();
  const std::int64_t end = std::min(count, offset + limit);
  std::string answer = "{\"metrics\":[";
  answer.reserve(static_cast<std::size_t>(end - offset) * 80);
  for (std::int64_t i = offset; i < end; ++i) append_point(answer, key, points[static_cast<std::size_t>(i)]);
  answer += ']';
  if (end < count) answer += fmt::format(",\"next_page_token\":\"{}\"", mlflow::page_token(end));
  return text_answer(answer + "}");
}

struct Series {
  std::string run;
  std::vector<MetricPoint> points;  // by step and time, of the steps asked for
};

// Of all steps as many as are wanted, evenly, and the first and last of each run.
std::set<std::int64_t> sampled_steps(const std::vector<Series>& all, std::int64_t most) {
  std::set<std::int64_t> steps;
  for (const auto& series : all) {
    for (const auto& point : series.points) steps.insert(point.step);
  }
  const auto count = static_cast<std::int64_t>(steps.size());
  if (count <= most) return steps;
  std::set<std::int64_t> kept;
  std::int64_t index = 0;
  for (const std::int64_t step : steps) {
    if (index * most / count != (index - 1) * most / count || index == 0) kept.insert(step);
    ++index;
  }
  for (const auto& series : all) {
    if (series.points.empty()) continue;
    kept.insert(series.points.front().step);
    kept.insert(series.points.back().step);
  }
  return kept;
}

Result<Response> get_history_bulk_interval(MlflowCall& call) {
  ROOST_TRY(const auto runs, call.fields.texts("run_ids"));
  ROOST_TRY(const std::string key, call.fields.required_text("metric_key"));
  ROOST_TRY(const auto first, call.fields.integer("start_step"));
  ROOST_TRY(const auto last, call.fields.integer("end_step"));
  ROOST_TRY(const std::int64_t most, max_results(call.fields, kMostSampled, kMostSampled));
  if (runs.empty()) return fail(ErrorCode::kInvalidArgument, "Missing value for required parameter 'run_ids'");
  if (runs.size() > kMostRuns) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("GetMetricHistoryBulkInterval request must specify at most {} run_ids. Received {}.",
                            kMostRuns, runs.size()));
  }
  if (first.has_value() != last.has_value() || (first && *first > *last)) {
    return fail(ErrorCode::kInvalidArgument,
                "give both 'start_step' and 'end_step', the first not after the last, or neither");
  }
  std::vector<Series> all;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    for (const auto& id : runs) {
      ROOST_TRY(const Run run, find_wire_run(tx, call.workspace, id));
      ROOST_CHECK(check_reach(tx, run, call.who, Reach::kRead));
      Series series{id, {}};
      ROOST_TRY(series.points, ordered_numbers(tx, run.seq, attempt_of(run), key));
      for (auto& point : series.points) point.step = point.step == MetricPoint::kNoStep ? 0 : point.step;
      std::erase_if(series.points,
                    [&](const MetricPoint& point) { return first && (point.step < *first || point.step > *last); });
      std::stable_sort(series.points.begin(), series.points.end(),
                       [](const auto& a, const auto& b) { return a.step < b.step; });
      all.push_back(std::move(series));
    }
    return {};
  }));
  const std::set<std::int64_t> steps = sampled_steps(all, most);
  std::string answer = "{\"metrics\":[";
  for (const auto& series : all) {
    std::string rest = ",\"run_id\":";
    mlflow::append_text(rest, series.run);
    for (const auto& point : series.points) {
      if (steps.contains(point.step)) append_point(answer, key, point, rest);
    }
  }
  return text_answer(answer + "]}");
}

}  // namespace

void add_mlflow_metric_calls(MlflowCalls& calls) {
  calls.add("POST", "/runs/log-metric", "mlflow_log_metric", Need::kContributorOrRun, log_metric);
  calls.add("POST", "/runs/log-batch", "mlflow_log_batch", Need::kContributorOrRun, log_batch);
  calls.add("GET", "/metrics/get-history", "mlflow_get_history", Need::kReaderOrRun, get_history);
  calls.add("GET", "/metrics/get-history-bulk-interval", "mlflow_get_history_bulk_interval", Need::kReaderOrRun,
            get_history_bulk_interval);
}

}  // namespace roost
