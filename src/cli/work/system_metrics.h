#pragma once

#include <string>

#include "cli/console.h"

namespace roost {

// What the nodes of a run were doing, as a table and curves, or every sample as comma-separated
// values. `name` picks one series; "" takes all.
Result<int> show_system_metrics(Console& console, const Json& run, const std::string& name,
                                bool csv);

// The samples of one series as a curve over seconds since its first sample.
struct SystemSeries {
  std::string node;
  std::string name;
  std::vector<double> seconds;
  std::vector<double> values;
};
std::vector<SystemSeries> system_series(const Json& answer, const std::string& name);

}  // namespace roost
