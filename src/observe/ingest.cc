#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/spool_record.h"
#include "observe/block_tail.h"
#include "observe/metric_block.h"
#include "observe/metric_store.h"
#include "records/alert_records.h"
#include "records/param_records.h"
#include "records/run_records.h"

namespace roost {
namespace {

constexpr std::int64_t kMaxMetrics = 10'000;

// What tells a point from others of its series: its time, its step, and the bits of its value.
using PointKey = std::tuple<Micros, std::int64_t, std::int64_t>;
// As many as one request may bring, and others that came beside it.
constexpr std::size_t kRecentPoints = 2048;

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
  std::optional<std::set<PointKey>> recent;  // read once it is asked whether a point is new
  std::int64_t odd_count = 0;  // points that are NaN or infinite, and where the first of them is
  std::int64_t odd_step = MetricPoint::kNoStep;
  std::optional<Micros> odd_at;
};

std::optional<std::int64_t> known_step(std::int64_t step) {
  return step == MetricPoint::kNoStep ? std::nullopt : std::optional(step);
}

class Ingest {
 public:
  Ingest(Tx& tx, Run& run, std::int64_t attempt) : tx_(tx), run_(run), attempt_(attempt) {}

  Status take(SpoolRecord& record) {
    if (record.kind == "tag") return take_tag(record);
    if (record.kind == "property") return take_property(record);
    if (record.kind == "param") return take_param(record);
    ROOST_TRY(Series* const series, series_for(record));
    MetricPoint point{record.step.value_or(MetricPoint::kNoStep), record.at, record.number, record.whole};
    if (record.is_number) {
      append_number(*series, point);
      return {};
    }
    if (record.kind != "list") return append_value(*series, point, record.value);
    if (series->count == 0) series->last = point;  // also an empty list was logged at a time
    for (const Json& item : record.value) {
      if (const auto number = json_number(item)) {
        point.value = *number;
        point.whole = whole_number(item);
        append_number(*series, point);
      } else {
        ROOST_CHECK(append_value(*series, point, item));
      }
    }
    return {};
  }

  // A point that says when and at which step it was logged itself, so that the same one again is known: it is kept once.
  // The latest of a series is that of the greatest step, time and value, whenever it came.
  Status take_once(const LoggedPoint& logged) {
    SpoolRecord record;
    record.kind = "scalar";
    record.name = logged.name;
    ROOST_TRY(Series* const series, series_for(record));
    if (!series->recent) {
      ROOST_TRY(series->recent, recent_points(series->id));
    }
    if (!series->recent->insert(key_of(logged.point)).second) return {};
    const bool is_latest = series->count == 0 || !is_later(series->last, series->last_number, logged.point);
    append_point(series->numbers, logged.point);
    if (is_latest) set_last(*series, logged.point);
    count_number(*series, logged.point);
    return {};
  }

  Status finish() {
    for (auto& [name, series] : by_name_) {
      ROOST_CHECK(flush_numbers(*series));
      ROOST_CHECK(tx_.run(
          "UPDATE metric SET kind = ?, count = ?, min = ?, max = ?, last_json = ?, last_step = ?,"
          " last_at = ?, last_number = ?, odd_count = ?, odd_step = ?, odd_at = ? WHERE id = ?",
          series->kind, series->count, series->min, series->max,
          series->count == 0 ? std::nullopt : std::optional<std::string_view>(series->last_json),
          known_step(series->last.step), series->last.at, series->last_number, series->odd_count,
          known_step(series->odd_step), series->odd_at, series->id));
    }
    return {};
  }

  std::int64_t points() const { return points_; }
  // Which metric became NaN or infinite, and when; "" if none of this piece did.
  const std::string& diverged() const { return diverged_; }
  Micros diverged_at() const { return diverged_at_; }

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
          "SELECT id, kind, count, min, max, last_json, last_step, last_at, last_number, odd_count, odd_step, odd_at FROM metric"
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
        series->last = {rows.maybe_integer(6).value_or(MetricPoint::kNoStep), rows.integer(7)};
        series->odd_count = rows.integer(9);
        series->odd_step = rows.maybe_integer(10).value_or(MetricPoint::kNoStep);
        series->odd_at = rows.maybe_integer(11);
      }
      ROOST_CHECK(rows.status());
    }
    if (series->id == 0) {
      ROOST_CHECK(check_room(record.name));
      ROOST_CHECK(tx_.run("INSERT INTO metric (run, attempt, name, kind, count) VALUES (?, ?, ?, ?, 0)",
                          run_.seq, attempt_, record.name, record.kind));
      series->id = tx_.last_insert_id();
      ROOST_CHECK(know_column(tx_, run_.workspace, "metrics", record.name));
    }
    recent_ = series.get();
    by_name_.emplace(series->name, std::move(series));
    return recent_;
  }

  // Whether the run may have a metric of that name. One that an earlier attempt had is none more.
  Status check_room(std::string_view name) {
    if (!names_ || (*names_ >= kMaxMetrics && !is_full_)) {
      // Counted anew at the limit: names of earlier attempts were counted twice on the way there.
      is_full_ = names_.has_value();
      Rows rows = tx_.query("SELECT count(DISTINCT name) FROM metric WHERE run = ?", run_.seq);
      names_ = rows.next() ? rows.integer(0) : 0;
      ROOST_CHECK(rows.status());
    }
    if (*names_ < kMaxMetrics) {
      is_full_ = false;
      ++*names_;
      return {};
    }
    for (std::int64_t earlier = attempt_ - 1; earlier > 0; --earlier) {
      Rows known = tx_.query("SELECT 1 FROM metric WHERE run = ? AND attempt = ? AND name = ?", run_.seq, earlier, name);
      if (known.next()) return {};
      ROOST_CHECK(known.status());
    }
    return fail(ErrorCode::kInvalidArgument, "a run has at most 10,000 metrics");
  }

  void append_number(Series& series, const MetricPoint& point) {
    append_point(series.numbers, point);
    set_last(series, point);
    count_number(series, point);
  }

  static void set_last(Series& series, const MetricPoint& point) {
    series.last = point;
    series.last_json.clear();
    series.last_number = point.value;
  }

  void count_number(Series& series, const MetricPoint& point) {
    ++series.count;
    ++points_;
    if (!std::isfinite(point.value) && diverged_.empty()) {
      diverged_ = fmt::format("{} became {}", printable(series.name), std::isnan(point.value) ? "NaN" : "infinite");
      diverged_at_ = point.at;
      if (point.step != MetricPoint::kNoStep) diverged_ += fmt::format(" at step {}", point.step);
    }
    if (std::isfinite(point.value)) {
      series.min = std::min(series.min.value_or(point.value), point.value);
      series.max = std::max(series.max.value_or(point.value), point.value);
    } else if (series.odd_count++ == 0) {
      // A point without a step is drawn at its index.
      series.odd_step = point.step == MetricPoint::kNoStep ? series.count - 1 : point.step;
      series.odd_at = point.at;
    }
  }

  static PointKey key_of(const MetricPoint& point) {
    return {point.at, point.step, std::isnan(point.value) ? std::bit_cast<std::int64_t>(std::nan("")) : std::bit_cast<std::int64_t>(point.value)};
  }

  // Whether a series' latest point comes after this one. NaN counts as 0 here, as it does to MLflow.
  static bool is_later(const MetricPoint& last, std::optional<double> last_number, const MetricPoint& point) {
    const auto number = [](double value) { return std::isnan(value) ? 0 : value; };
    const auto rank = [](std::int64_t step) { return step == MetricPoint::kNoStep ? 0 : step; };
    return std::tuple(rank(last.step), last.at, number(last_number.value_or(0))) >
           std::tuple(rank(point.step), point.at, number(point.value));
  }

  // The newest points of a series: a request that is sent again comes soon after it was sent first.
  Result<std::optional<std::set<PointKey>>> recent_points(std::int64_t metric) {
    std::set<PointKey> recent;
    std::size_t seen = 0;
    Rows rows = tx_.query("SELECT data FROM metric_block WHERE metric = ? ORDER BY first DESC", metric);
    while (seen < kRecentPoints && rows.next()) {
      const std::string_view block = rows.bytes(0);
      for (std::size_t i = point_count(block); i-- > 0 && seen < kRecentPoints; ++seen) recent.insert(key_of(point_at(block, i)));
    }
    ROOST_CHECK(rows.status());
    return recent;
  }

  Status append_value(Series& series, const MetricPoint& point, const Json& value) {
    ROOST_CHECK(flush_numbers(series));
    series.last_json = to_text(value);
    series.last_number.reset();
    series.last = point;
    ROOST_CHECK(tx_.run("INSERT INTO metric_value VALUES (?, ?, ?, ?, ?)", series.id, series.count,
                        known_step(point.step), point.at, series.last_json));
    ++series.count;
    ++points_;
    return {};
  }

  // Appends the points as a block of their own, together with small ones before it where it is time.
  Status flush_numbers(Series& series) {
    if (series.numbers.empty()) return {};
    const auto added = static_cast<std::int64_t>(point_count(series.numbers));
    if (series.last_json.empty()) series.last_json = to_text(point_value(series.last));
    std::int64_t first = series.count - added;
    ROOST_TRY(const std::int64_t joined_first, first_to_join(series.id, first, added));
    if (joined_first < first) {
      std::string joined;
      {
        Rows rows = tx_.query("SELECT data FROM metric_block WHERE metric = ? AND first >= ? ORDER BY first",
                              series.id, joined_first);
        while (rows.next()) joined += rows.bytes(0);
        ROOST_CHECK(rows.status());
      }
      ROOST_CHECK(tx_.run("DELETE FROM metric_block WHERE metric = ? AND first >= ?", series.id, joined_first));
      first = joined_first;
      series.numbers.insert(0, joined);
    }
    std::string_view rest = series.numbers;
    while (!rest.empty()) {
      const std::string_view block = rest.substr(0, static_cast<std::size_t>(kBlockPoints) * sizeof(PackedPoint));
      rest.remove_prefix(block.size());
      const auto count = static_cast<std::int64_t>(point_count(block));
      ROOST_CHECK(tx_.run("INSERT INTO metric_block VALUES (?, ?, ?, ?)", series.id, first, count, Blob{block}));
      first += count;
    }
    series.numbers.clear();
    return {};
  }

  // Where the block of `added` points at `first` begins, if those before it that it should be joined with are joined.
  Result<std::int64_t> first_to_join(std::int64_t metric, std::int64_t first, std::int64_t added) {
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> firsts = {first};
    Rows rows = tx_.query("SELECT first, count FROM metric_block WHERE metric = ? ORDER BY first DESC", metric);
    while (rows.next()) {
      // Between two blocks may be values that are no numbers.
      if (rows.integer(0) + rows.integer(1) != firsts.back() || rows.integer(1) >= kBlockPoints) break;
      firsts.push_back(rows.integer(0));
      counts.push_back(rows.integer(1));
    }
    ROOST_CHECK(rows.status());
    return firsts[blocks_to_join(counts, added)];
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

  Status take_param(const SpoolRecord& record) {
    return set_param(tx_, run_, record.name, record.value.is_string() ? record.value.get<std::string>() : to_text(record.value));
  }

  Tx& tx_;
  Run& run_;
  const std::int64_t attempt_;
  std::unordered_map<std::string, std::unique_ptr<Series>> by_name_;
  Series* recent_ = nullptr;
  std::optional<std::int64_t> names_;  // of metrics the run has; counted when the first new one comes
  bool is_full_ = false;               // names_ is exact, and no more may come
  std::int64_t points_ = 0;
  std::string diverged_;
  Micros diverged_at_ = 0;
};

Status tell_of_divergence(Tx& tx, const Run& run, const Ingest& ingest) {
  if (ingest.diverged().empty()) return {};
  return raise_alert(tx, run, {AlertEvent::kDivergence}, ingest.diverged(), ingest.diverged_at());
}

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
  ROOST_CHECK(tell_of_divergence(tx, run, ingest));
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO spool VALUES (?, ?, ?, ?)", run.seq, attempt, spool,
                     static_cast<std::int64_t>(result.length)));
  result.points = ingest.points();
  return result;
}

Result<std::int64_t> ingest_points(Tx& tx, Run& run, std::int64_t attempt, const std::vector<LoggedPoint>& points) {
  Ingest ingest(tx, run, attempt);
  for (const LoggedPoint& point : points) ROOST_CHECK(ingest.take_once(point));
  ROOST_CHECK(ingest.finish());
  ROOST_CHECK(tell_of_divergence(tx, run, ingest));
  return ingest.points();
}

}  // namespace roost
