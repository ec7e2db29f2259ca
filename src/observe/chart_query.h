#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/database.h"
#include "observe/metric_store.h"

namespace roost {

// Which part of a metric a chart shows, and how finely.
struct ChartView {
  bool by_time = false;        // `from` and `to` are seconds since 1970, not steps
  std::optional<double> from;
  std::optional<double> to;
  std::int64_t buckets = 1000;
};

// Appends the metric's numbers to `out` as the JSON text of a Chart: every point if there are no more than buckets,
// otherwise the mean, lowest and highest of each bucket. One point on either side of the range is among them, so that
// a line goes on to the edge. On failure `out` is of no use.
Status append_chart(Tx& tx, const MetricSummary& metric, const ChartView& view, std::string& out);

}  // namespace roost
