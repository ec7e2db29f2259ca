#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace roost {

// One fact in which two runs differ; a value that one of them lacks is null.
struct Difference {
  std::string name;
  Json a;
  Json b;
};

// What was asked for: command, compute, environment, git and so on, by a dotted name.
std::vector<Difference> spec_differences(const Json& run_a, const Json& run_b);

// The last values of all metrics, side by side, also equal ones.
std::vector<Difference> metric_comparison(const Json& metrics_a, const Json& metrics_b);

// Snapshot entries by path, where they are not equal.
std::vector<Difference> entry_differences(const Json& snapshot_a, const Json& snapshot_b);

}  // namespace roost
