#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"
#include "domain/run.h"
#include "observe/metric_block.h"

namespace roost {

// What a run's scripts reported: numbers in blocks, everything else as values. Works inside a
// caller's transaction, together with how far each spool file has been taken in.

struct Ingested {
  std::uint64_t length = 0;  // of the spool file, taken in so far
  std::int64_t points = 0;
  std::int64_t bad_lines = 0;
  std::string first_bad;  // why
};

// Takes in the whole lines of `bytes`, which lie at `offset` of the spool file. What was taken in
// before is skipped, a gap is not taken (the answered length tells where to go on).
Result<Ingested> ingest_spool(Tx& tx, Run& run, std::int64_t attempt, const std::string& spool,
                              std::uint64_t offset, std::string_view bytes);

// A number that some client logged by itself, with the time and the step it gave.
struct LoggedPoint {
  std::string_view name;
  MetricPoint point;
};

// Takes in numbers, each once: one whose time, step and value are those of another that came lately is left out, so that
// a request may be sent again. All are taken or, with an error, none. Answers how many were new.
Result<std::int64_t> ingest_points(Tx& tx, Run& run, std::int64_t attempt, const std::vector<LoggedPoint>& points);

struct MetricSummary {
  std::int64_t id = 0;
  std::string name;
  std::string kind;
  std::int64_t count = 0;
  Json last;
  std::optional<double> min;
  std::optional<double> max;
  std::optional<std::int64_t> last_step;
  std::optional<Micros> last_at;
  std::int64_t odd_count = 0;  // points that are NaN or infinite; the first of them is at odd_step
  std::optional<std::int64_t> odd_step;
  std::optional<Micros> odd_at;
};
Json summary_json(const MetricSummary& summary);

// Metrics, like logs, belong to an attempt: a run that was tried again from the start has no point twice.
Result<std::vector<MetricSummary>> list_metrics(Tx& tx, const Run& run, std::int64_t attempt);
Result<MetricSummary> find_metric(Tx& tx, const Run& run, std::int64_t attempt, std::string_view name);

// The numbers of a series from `from_index` on, in order; none if there is no such series.
Result<std::vector<MetricPoint>> metric_numbers(Tx& tx, std::int64_t run, std::int64_t attempt, std::string_view name,
                                                std::int64_t from_index);

// All of them by time, step and value, NaN before other values.
Result<std::vector<MetricPoint>> ordered_numbers(Tx& tx, std::int64_t run, std::int64_t attempt, std::string_view name);

// Points `from_index` and on, at most `limit`, as the API shows them.
Result<Json> metric_points(Tx& tx, const MetricSummary& metric, std::int64_t from_index,
                           std::int64_t limit);
// The whole series in at most `buckets` pieces of equal point count, each with its minimum and
// maximum, so that no spike is lost.
Result<Json> metric_buckets(Tx& tx, const MetricSummary& metric, std::int64_t buckets);

}  // namespace roost
