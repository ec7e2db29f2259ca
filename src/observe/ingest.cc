#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/spool_record.h"
#include "observe/metric_block.h"
#include "observe/metric_store.h"
#include "records/run_records.h"

namespace roost {
namespace {

constexpr std::size_t kMaxMetrics = 10'000;

// The points of one metric that came with this piece of spool, and the row they go to.
struct Series {
  std::string name;
  std::string kind;
  std::string numbers;  // packed MetricPoints, in order, not interrupted by values
  std::int64_t id = 0;
  std::int64_t count = 0;
  std::optional<double> min;
  std::optional<double> max;
  std::string last_json;
  std::optional<double> last_number;  // unless the last value is none
  MetricPoint last;
};

class Ingest {
 public:
  Ingest(Tx& tx, Run& run, std::int64_t attempt) : tx_(tx), run_(run), attempt_(attempt) {}

  Status take(SpoolRecord& record) {
    if (record.kind == "tag") return take_tag(record);
    if (record.kind == "property") return take_property(record);
    ROOST_TRY(Series* const series, series_for(record));
    MetricPoint point{record.step.value_or(MetricPoint::kNoStep), record.at, record.number};
    if (record.is_number) {
      append_number(*series, point);
      return {};
    }
    if (record.kind != "list") return append_value(*series, point, record.value);
    for (const Json& item : record.value) {
      if (const auto number = json_number(item)) {
        point.value = *number;
        append_number(*series, point);
      } else {
        ROOST_CHECK(append_value(*series, point, item));
      }
    }
    return {};
  }

  Status finish() {
    for (auto& [name, series] : by_name_) {
      ROOST_CHECK(flush_numbers(*series));
      ROOST_CHECK(tx_.run(
          "UPDATE metric SET kind = ?, count = ?, min = ?, max = ?, last_json = ?, last_step = ?,"
          " last_at = ?, last_number = ? WHERE id = ?",
          series->kind, series->count, series->min, series->max, series->last_json,
          series->last.step == MetricPoint::kNoStep ? std::nullopt : std::optional(series->last.step),
          series->last.at, series->last_number, series->id));
    }
    return {};
  }

  std::int64_t points() const { return points_; }

 private:
  Result<Series*> series_for(const SpoolRecord& record) {
    // Scripts log the same name again and again.
    if (recent_ && recent_->name == record.name) return recent_;
    const auto found = by_name_.find(std::string(record.name));
    if (found != by_name_.end()) return recent_ = found->second.get();
    auto series = std::make_unique<Series>();
    series->name = record.name;
    series->kind = record.kind;
    {
      Rows rows = tx_.query(
          "SELECT id, kind, count, min, max, last_json, last_step, last_at, last_number FROM metric"
          " WHERE run = ? AND attempt = ? AND name = ?",
          run_.seq, attempt_, record.name);
      if (rows.next()) {
        series->id = rows.integer(0);
        series->kind = rows.text(1);
        series->count = rows.integer(2);
        if (!rows.is_null(3)) series->min = rows.real(3);
        if (!rows.is_null(4)) series->max = rows.real(4);
        series->last_json = rows.text(5);
        if (!rows.is_null(8)) series->last_number = rows.real(8);
        series->last = {rows.maybe_integer(6).value_or(MetricPoint::kNoStep), rows.integer(7), 0};
      }
      ROOST_CHECK(rows.status());
    }
    if (series->id == 0) {
      if (by_name_.size() >= kMaxMetrics) {
        return fail(ErrorCode::kInvalidArgument, "a run has at most 10,000 metrics");
      }
      ROOST_CHECK(tx_.run("INSERT INTO metric (run, attempt, name, kind, count) VALUES (?, ?, ?, ?, 0)",
                          run_.seq, attempt_, record.name, record.kind));
      series->id = tx_.last_insert_id();
      ROOST_CHECK(know_column(tx_, run_.workspace, "metrics", record.name));
    }
    recent_ = series.get();
    by_name_.emplace(series->name, std::move(series));
    return recent_;
  }

  void append_number(Series& series, const MetricPoint& point) {
    append_point(series.numbers, point);
    series.last = point;
    series.last_json.clear();
    series.last_number = point.value;
    ++series.count;
    ++points_;
    if (std::isfinite(point.value)) {
      series.min = std::min(series.min.value_or(point.value), point.value);
      series.max = std::max(series.max.value_or(point.value), point.value);
    }
  }

  Status append_value(Series& series, const MetricPoint& point, const Json& value) {
    ROOST_CHECK(flush_numbers(series));
    series.last_json = to_text(value);
    series.last_number.reset();
    series.last = point;
    ROOST_CHECK(tx_.run("INSERT INTO metric_value VALUES (?, ?, ?, ?, ?)", series.id, series.count,
                        point.step == MetricPoint::kNoStep ? std::nullopt : std::optional(point.step),
                        point.at, series.last_json));
    ++series.count;
    ++points_;
    return {};
  }

  // Fills up the last block of the series, then adds whole ones.
  Status flush_numbers(Series& series) {
    std::string_view rest = series.numbers;
    if (rest.empty()) return {};
    const auto total = static_cast<std::int64_t>(point_count(rest));
    std::int64_t first = series.count - total;
    series.last_json = to_text(number_json(point_at(rest, point_count(rest) - 1).value));
    std::string block;
    std::int64_t block_first = first;
    {
      Rows rows = tx_.query(
          "SELECT first, count, data FROM metric_block WHERE metric = ? ORDER BY first DESC LIMIT 1",
          series.id);
      if (rows.next() && rows.integer(0) + rows.integer(1) == first && rows.integer(1) < kBlockPoints) {
        block_first = rows.integer(0);
        block = rows.bytes(2);
      }
      ROOST_CHECK(rows.status());
    }
    while (!rest.empty()) {
      const std::size_t room = static_cast<std::size_t>(kBlockPoints) - point_count(block);
      const std::size_t bytes = std::min(rest.size(), room * sizeof(MetricPoint));
      block += rest.substr(0, bytes);
      rest.remove_prefix(bytes);
      const auto count = static_cast<std::int64_t>(point_count(block));
      ROOST_CHECK(tx_.run("INSERT OR REPLACE INTO metric_block VALUES (?, ?, ?, ?)", series.id,
                          block_first, count, Blob{block}));
      block_first += count;
      block.clear();
    }
    series.numbers.clear();
    return {};
  }

  Status take_tag(const SpoolRecord& record) {
    Json tags = run_.tags;
    tags[std::string(record.name)] = record.value;
    if (tags.size() > 50) return fail(ErrorCode::kInvalidArgument, "a run has at most 50 tags");
    return replace_tags(tx_, run_, std::move(tags));
  }

  Status take_property(const SpoolRecord& record) {
    const std::string key(record.name);
    if (run_.properties.contains(key)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the property \"{}\" is set already and cannot change", printable(key)));
    }
    run_.properties[key] = record.value;
    return save_run(tx_, run_);
  }

  Tx& tx_;
  Run& run_;
  const std::int64_t attempt_;
  std::unordered_map<std::string, std::unique_ptr<Series>> by_name_;
  Series* recent_ = nullptr;
  std::int64_t points_ = 0;
};

Result<std::uint64_t> spool_length(Tx& tx, std::int64_t run, std::int64_t attempt,
                                   const std::string& spool) {
  Rows rows = tx.query("SELECT length FROM spool WHERE run = ? AND attempt = ? AND name = ?", run,
                       attempt, spool);
  std::uint64_t length = 0;
  if (rows.next()) length = static_cast<std::uint64_t>(rows.integer(0));
  ROOST_CHECK(rows.status());
  return length;
}

}  // namespace

Result<Ingested> ingest_spool(Tx& tx, Run& run, std::int64_t attempt, const std::string& spool,
                              std::uint64_t offset, std::string_view bytes) {
  Ingested result;
  ROOST_TRY(result.length, spool_length(tx, run.seq, attempt, spool));
  if (offset > result.length || offset + bytes.size() <= result.length) return result;
  bytes.remove_prefix(result.length - offset);
  const std::size_t whole = bytes.rfind('\n');
  if (whole == std::string_view::npos) return result;
  bytes = bytes.substr(0, whole + 1);
  result.length += bytes.size();

  Ingest ingest(tx, run, attempt);
  SpoolRecord record;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (line.empty()) continue;
    Status taken = parse_spool_line(line, record);
    if (taken) taken = ingest.take(record);
    if (taken) continue;
    if (taken.error().code != ErrorCode::kInvalidArgument) return fail(taken.error());
    if (result.bad_lines++ == 0) result.first_bad = taken.error().message;
  }
  ROOST_CHECK(ingest.finish());
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO spool VALUES (?, ?, ?, ?)", run.seq, attempt, spool,
                     static_cast<std::int64_t>(result.length)));
  result.points = ingest.points();
  return result;
}

}  // namespace roost
