#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace roost {

// A column of the run table: a field that every run may have, or one of its metrics, parameters or tags.
struct RunColumn {
  enum Kind {
    kCreated, kStarted, kEnded, kDuration, kName, kNumber, kExperiment, kStatus, kCompute, kUser,
    kMetric, kParam, kTag,
  };
  Kind kind = kCreated;
  std::string name;  // of the metric, parameter or tag
};

// "created", "metrics.loss"; an error names those there are.
Result<RunColumn> parse_run_column(std::string_view text);

struct RunOrder {
  RunColumn column;
  bool descending = true;
};

// A column, with - before it for the largest first.
Result<RunOrder> parse_run_order(std::string_view text);

}  // namespace roost
