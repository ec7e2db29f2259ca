#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "observe/metric_block.h"
#include "observe/metric_store.h"

namespace roost {
namespace {

#define ROOST_METRIC_COLUMNS "id, name, kind, count, last_json, min, max, last_step, last_at, odd_count, odd_step, odd_at"

MetricSummary read_summary(const Rows& rows) {
  MetricSummary summary;
  summary.id = rows.integer(0);
  summary.name = rows.text(1);
  summary.kind = rows.text(2);
  summary.count = rows.integer(3);
  if (!rows.is_null(4)) summary.last = stored_json(rows.bytes(4));
  if (!rows.is_null(5)) summary.min = rows.real(5);
  if (!rows.is_null(6)) summary.max = rows.real(6);
  summary.last_step = rows.maybe_integer(7);
  summary.last_at = rows.maybe_integer(8);
  summary.odd_count = rows.integer(9);
  summary.odd_step = rows.maybe_integer(10);
  summary.odd_at = rows.maybe_integer(11);
  return summary;
}

Json step_json(std::int64_t step) { return step == MetricPoint::kNoStep ? Json() : Json(step); }

// One down-sampled piece of a series. NaN and infinities count, but do not enter min, max and mean.
struct Bucket {
  std::int64_t index = 0;
  std::int64_t count = 0;
  std::int64_t finite = 0;
  MetricPoint first;
  MetricPoint last;
  double min = 0;
  double max = 0;
  double sum = 0;

  void add(std::int64_t at, const MetricPoint& point) {
    if (count++ == 0) {
      index = at;
      first = point;
    }
    last = point;
    if (!std::isfinite(point.value)) return;
    min = finite == 0 ? point.value : std::min(min, point.value);
    max = finite == 0 ? point.value : std::max(max, point.value);
    sum += point.value;
    ++finite;
  }

  Json json() const {
    const auto or_null = [&](double value) { return finite == 0 ? Json() : number_json(value); };
    return {{"index", index},
            {"count", count},
            {"step_first", step_json(first.step)},
            {"step_last", step_json(last.step)},
            {"at_first", format_time(first.at)},
            {"at_last", format_time(last.at)},
            {"min", or_null(min)},
            {"max", or_null(max)},
            {"mean", or_null(sum / static_cast<double>(std::max<std::int64_t>(finite, 1)))},
            {"last", point_value(last)}};
  }
};

Json odd_json(const MetricSummary& summary) {
  if (!summary.odd_step || !summary.odd_at) return {};
  return {{"count", summary.odd_count}, {"step", *summary.odd_step}, {"at", format_time(*summary.odd_at)}};
}

}  // namespace

Json summary_json(const MetricSummary& summary) {
  const auto number = [](const std::optional<double>& v) { return v ? number_json(*v) : Json(); };
  return {{"name", summary.name},
          {"kind", summary.kind},
          {"count", summary.count},
          {"last", summary.last},
          {"min", number(summary.min)},
          {"max", number(summary.max)},
          {"last_step", summary.last_step ? Json(*summary.last_step) : Json()},
          {"last_at", summary.last_at ? Json(format_time(*summary.last_at)) : Json()},
          {"odd", odd_json(summary)}};
}

Result<std::vector<MetricSummary>> list_metrics(Tx& tx, const Run& run, std::int64_t attempt) {
  std::vector<MetricSummary> all;
  Rows rows = tx.query("SELECT " ROOST_METRIC_COLUMNS
                       " FROM metric WHERE run = ? AND attempt = ? ORDER BY name",
                       run.seq, attempt);
  while (rows.next()) all.push_back(read_summary(rows));
  ROOST_CHECK(rows.status());
  return all;
}

Result<MetricSummary> find_metric(Tx& tx, const Run& run, std::int64_t attempt,
                                  std::string_view name) {
  Rows rows = tx.query("SELECT " ROOST_METRIC_COLUMNS
                       " FROM metric WHERE run = ? AND attempt = ? AND name = ?",
                       run.seq, attempt, name);
  if (rows.next()) return read_summary(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound,
              fmt::format("run {} has no metric \"{}\"; 'roost metrics {}' lists those it has", run.id,
                          printable(name), run.id));
}

Result<std::vector<MetricPoint>> metric_numbers(Tx& tx, std::int64_t run, std::int64_t attempt, std::string_view name,
                                                std::int64_t from_index) {
  std::vector<MetricPoint> points;
  Rows rows = tx.query("SELECT b.first, b.data FROM metric m JOIN metric_block b ON b.metric = m.id"
                       " WHERE m.run = ? AND m.attempt = ? AND m.name = ? AND b.first + b.count > ? ORDER BY b.first",
                       run, attempt, name, from_index);
  while (rows.next()) {
    const std::string_view block = rows.bytes(1);
    for (std::size_t i = 0; i < point_count(block); ++i) {
      if (rows.integer(0) + static_cast<std::int64_t>(i) >= from_index) points.push_back(point_at(block, i));
    }
  }
  ROOST_CHECK(rows.status());
  return points;
}

Result<std::vector<MetricPoint>> ordered_numbers(Tx& tx, std::int64_t run, std::int64_t attempt, std::string_view name) {
  ROOST_TRY(std::vector<MetricPoint> points, metric_numbers(tx, run, attempt, name, 0));
  const auto before = [](const MetricPoint& a, const MetricPoint& b) {
    if (std::tie(a.at, a.step) != std::tie(b.at, b.step)) return std::tie(a.at, a.step) < std::tie(b.at, b.step);
    if (std::isnan(a.value) || std::isnan(b.value)) return std::isnan(a.value) && !std::isnan(b.value);
    return a.value < b.value;
  };
  // They mostly come in order.
  if (!std::is_sorted(points.begin(), points.end(), before)) std::stable_sort(points.begin(), points.end(), before);
  return points;
}

Result<Json> metric_points(Tx& tx, const MetricSummary& metric, std::int64_t from_index,
                           std::int64_t limit) {
  const std::int64_t end = limit > INT64_MAX - from_index ? INT64_MAX : from_index + limit;
  std::map<std::int64_t, Json> points;  // numbers and values of one series, in order
  {
    Rows rows = tx.query(
        "SELECT first, data FROM metric_block WHERE metric = ? AND first < ? AND first + count > ?"
        " ORDER BY first",
        metric.id, end, from_index);
    while (rows.next()) {
      const std::int64_t first = rows.integer(0);
      const std::string_view block = rows.bytes(1);
      for (std::size_t i = 0; i < point_count(block); ++i) {
        const std::int64_t index = first + static_cast<std::int64_t>(i);
        if (index < from_index || index >= end) continue;
        const MetricPoint point = point_at(block, i);
        points[index] = {{"index", index},
                         {"step", step_json(point.step)},
                         {"at", format_time(point.at)},
                         {"value", point_value(point)}};
      }
    }
    ROOST_CHECK(rows.status());
  }
  Rows rows = tx.query(
      "SELECT idx, step, at, value_json FROM metric_value WHERE metric = ? AND idx >= ? AND idx < ?",
      metric.id, from_index, end);
  while (rows.next()) {
    points[rows.integer(0)] = {{"index", rows.integer(0)},
                               {"step", rows.is_null(1) ? Json() : Json(rows.integer(1))},
                               {"at", format_time(rows.integer(2))},
                               {"value", stored_json(rows.bytes(3))}};
  }
  ROOST_CHECK(rows.status());
  Json list = Json::array();
  for (auto& [index, point] : points) list.push_back(std::move(point));
  return Json{{"name", metric.name}, {"kind", metric.kind}, {"count", metric.count},
              {"points", std::move(list)}};
}

Result<Json> metric_buckets(Tx& tx, const MetricSummary& metric, std::int64_t buckets) {
  const std::int64_t per_bucket = (metric.count + buckets - 1) / buckets;
  std::vector<Bucket> all(static_cast<std::size_t>((metric.count + per_bucket - 1) / per_bucket));
  Rows rows = tx.query("SELECT first, data FROM metric_block WHERE metric = ? ORDER BY first",
                       metric.id);
  while (rows.next()) {
    const std::int64_t first = rows.integer(0);
    const std::string_view block = rows.bytes(1);
    for (std::size_t i = 0; i < point_count(block); ++i) {
      const std::int64_t index = first + static_cast<std::int64_t>(i);
      const auto bucket = static_cast<std::size_t>(index / per_bucket);
      if (bucket < all.size()) all[bucket].add(index, point_at(block, i));
    }
  }
  ROOST_CHECK(rows.status());
  Json list = Json::array();
  for (const auto& bucket : all) {
    if (bucket.count > 0) list.push_back(bucket.json());
  }
  return Json{{"name", metric.name}, {"kind", metric.kind}, {"count", metric.count},
              {"buckets", std::move(list)}};
}

}  // namespace roost
