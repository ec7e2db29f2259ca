#pragma once

#include <cstdint>
#include <vector>

#include "db/database.h"
#include "domain/run_column.h"
#include "records/run_search.h"

namespace roost {

// A page of rows in this order; runs that lack the column come last, newest first.
Result<std::vector<std::int64_t>> order_runs(Tx& tx, const FoundRuns& found, const RunOrder& order, std::int64_t offset,
                                             std::int64_t limit, Micros now);

}  // namespace roost
