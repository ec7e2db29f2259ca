#include "observe/chart_query.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/json.h"
#include "observe/metric_block.h"

namespace roost {
namespace {

// A column of a chart while it is written. Text right away: a screen full of numbers is a large part of the work.
class Column {
 public:
  void add(std::int64_t value) { write(value); }
  void add(double value) {
    if (std::isnan(value)) return add_text("\"NaN\"");
    if (std::isinf(value)) return add_text(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    write(value);
  }
  void append_to(std::string& out, std::string_view name) const {
    out += ",\"";
    out += name;
    out += "\":[";
    out += std::string_view(text_).substr(0, text_.empty() ? 0 : text_.size() - 1);
    out += ']';
  }

 private:
  template <class T>
  void write(T value) {
    char digits[32];
    add_text({digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, value).ptr - digits)});
  }
  void add_text(std::string_view text) {
    text_ += text;
    text_ += ',';
  }
  std::string text_;
};

// The numbers of a metric in order. Between blocks there may be values that are no numbers, so the index of a point in
// the metric is not its position among the numbers.
class Numbers {
 public:
  Numbers(Tx& tx, std::int64_t metric) : tx_(tx), metric_(metric) {}

  Status look() {
    Rows rows = tx_.query("SELECT first, count FROM metric_block WHERE metric = ? ORDER BY first", metric_);
    while (rows.next()) {
      blocks_.push_back({rows.integer(0), size_});
      size_ += rows.integer(1);
    }
    return rows.status();
  }

  std::int64_t size() const { return size_; }

  // Calls `visit(position, point)` for the positions from `begin` to before `end`; blocks outside are not read. A
  // point without a step gets its index as one.
  template <class Visit>
  Status each(std::int64_t begin, std::int64_t end, Visit visit) {
    if (begin >= end) return {};
    auto block = block_of(begin);
    Rows rows = tx_.query("SELECT data FROM metric_block WHERE metric = ? AND first >= ? AND first <= ? ORDER BY first",
                          metric_, block->first, block_of(end - 1)->first);
    for (; rows.next(); ++block) {
      const std::string_view data = rows.bytes(0);
      const auto count = static_cast<std::int64_t>(point_count(data));
      const auto last = std::min(count, end - block->position);
      for (auto i = std::max<std::int64_t>(0, begin - block->position); i < last; ++i) {
        MetricPoint point = point_at(data, static_cast<std::size_t>(i));
        if (point.step == MetricPoint::kNoStep) point.step = block->first + i;
        visit(block->position + i, point);
      }
    }
    return rows.status();
  }

 private:
  struct Block {
    std::int64_t first;     // index of its first point in the metric
    std::int64_t position;  // of its first point among the numbers
  };
  std::vector<Block>::const_iterator block_of(std::int64_t position) const {
    const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), position,
                                        [](std::int64_t at, const Block& block) { return at < block.position; });
    return after - 1;
  }

  Tx& tx_;
  const std::int64_t metric_;
  std::vector<Block> blocks_;
  std::int64_t size_ = 0;
};

struct Window {
  std::int64_t begin;
  std::int64_t end;
};

// From the first point at or after `from` to the last at or before `to`, and a neighbour on either side. Steps need not
// grow, so every point has its say.
Result<Window> window_of(Numbers& numbers, const ChartView& view) {
  if (!view.from && !view.to) return Window{0, numbers.size()};
  std::int64_t first = view.from ? numbers.size() : 0;
  std::int64_t last = view.to ? -1 : numbers.size() - 1;
  ROOST_CHECK(numbers.each(0, numbers.size(), [&](std::int64_t position, const MetricPoint& point) {
    const double x = view.by_time ? static_cast<double>(point.at) / kSecond : static_cast<double>(point.step);
    if (view.from && x >= *view.from) first = std::min(first, position);
    if (view.to && x <= *view.to) last = position;
  }));
  return Window{std::max<std::int64_t>(0, first - 1), std::min(numbers.size(), last + 2)};
}

struct Columns {
  Column steps;
  Column times;
  Column values;
  Column lows;
  Column highs;

  void add(const MetricPoint& point) {
    steps.add(point.step);
    times.add(static_cast<double>(point.at) / kSecond);
  }
};

// NaN and infinities count only where there is nothing else.
struct Bucket {
  std::int64_t finite = 0;
  double low = 0;
  double high = 0;
  double sum = 0;
  MetricPoint last;

  void add(const MetricPoint& point) {
    last = point;
    if (!std::isfinite(point.value)) return;
    low = finite == 0 ? point.value : std::min(low, point.value);
    high = finite == 0 ? point.value : std::max(high, point.value);
    sum += point.value;
    ++finite;
  }
  void write(Columns& columns) const {
    columns.add(last);
    columns.values.add(finite == 0 ? last.value : sum / static_cast<double>(finite));
    columns.lows.add(finite == 0 ? last.value : low);
    columns.highs.add(finite == 0 ? last.value : high);
  }
};

Status fill_buckets(Numbers& numbers, const Window& window, std::int64_t per_bucket, Columns& columns) {
  Bucket bucket;
  std::int64_t left = per_bucket;
  ROOST_CHECK(numbers.each(window.begin, window.end, [&](std::int64_t, const MetricPoint& point) {
    bucket.add(point);
    if (--left > 0) return;
    bucket.write(columns);
    bucket = {};
    left = per_bucket;
  }));
  if (left < per_bucket) bucket.write(columns);
  return {};
}

}  // namespace

Status append_chart(Tx& tx, const MetricSummary& metric, const ChartView& view, std::string& out) {
  Numbers numbers(tx, metric.id);
  ROOST_CHECK(numbers.look());
  ROOST_TRY(const Window window, window_of(numbers, view));
  const std::int64_t points = std::max<std::int64_t>(0, window.end - window.begin);
  const bool bucketed = points > view.buckets;
  Columns columns;
  if (bucketed) {
    ROOST_CHECK(fill_buckets(numbers, window, (points + view.buckets - 1) / view.buckets, columns));
  } else {
    ROOST_CHECK(numbers.each(window.begin, window.end, [&](std::int64_t, const MetricPoint& point) {
      columns.add(point);
      columns.values.add(point.value);
    }));
  }
  out += "{\"name\":";
  out += to_text(Json(metric.name));
  out += ",\"count\":";
  out += std::to_string(metric.count);
  columns.steps.append_to(out, "steps");
  columns.times.append_to(out, "times");
  columns.values.append_to(out, "values");
  if (bucketed) {
    columns.lows.append_to(out, "lows");
    columns.highs.append_to(out, "highs");
  }
  out += '}';
  return {};
}

}  // namespace roost
