#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "domain/run.h"
#include "mlflow/filter.h"

namespace roost {

// A search of MLflow's clients among the runs of some experiments.
struct WireSearch {
  std::string workspace;
  std::vector<std::int64_t> experiments;  // rows
  std::vector<mlflow::FilterTerm> filter;
  std::vector<mlflow::OrderTerm> order;
  InBin bin = InBin::kLeftOut;
  std::optional<std::int64_t> family_of;  // row: only that run, those below and above it, and its siblings
  std::int64_t offset = 0;
  std::int64_t limit = 1000;
};

struct WirePage {
  std::vector<std::int64_t> runs;  // rows, in order
  bool has_more = false;
};

// In the order asked for: values, then NaN, then runs that have none, in either direction; then the newest start first,
// then by id.
Result<WirePage> search_wire_runs(Tx& tx, const WireSearch& search, Micros now);

}  // namespace roost
