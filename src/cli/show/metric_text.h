#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/show/plot.h"
#include "cli/show/style.h"
#include "cli/show/table.h"

namespace roost {

// The list of a run's metrics (list_metrics) as a table.
TextTable metric_table(const Json& metrics);

// Whether get_metric is worth asking for a curve: a scalar or list with several points.
bool has_curve(const Json& metric);

// The curve of an answer of get_metric, from its points or its buckets. Points without a number are
// left out; x is the step, or the index where there is no step.
std::vector<PlotPoint> curve_of(const Json& series);

// An answer of get_metric as its kind is best read: a curve, a table, a grid. At most `width`
// columns.
std::string metric_text(const Json& series, int width, int height, const Style& style);

std::string metric_value_text(const Json& value);  // 0.0312, "text", or short JSON

}  // namespace roost
