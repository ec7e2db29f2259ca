#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "db/database.h"
#include "domain/run_query.h"
#include "records/run_set.h"

namespace roost {

// What a query finds among the runs of a workspace.
struct FoundRuns {
  std::string workspace;
  RunSet runs;
  // Newest attempts of the runs that had more than one, by row.
  std::unordered_map<std::int64_t, std::int64_t> retried;

  // Whether it is the run's newest attempt, whose metrics count.
  bool is_newest(std::int64_t row, std::int64_t attempt) const {
    if (retried.empty()) return attempt == 1;
    const auto found = retried.find(row);
    return attempt == (found == retried.end() ? 1 : found->second);
  }
};

// Each term of the query becomes one walk along an index, or a look at each run that is left, and its result a set. So
// every statement has a fixed text, whatever the query is, and what the user wrote is only ever bound to it.
Result<FoundRuns> search_runs(Tx& tx, const std::string& workspace, const RunQuery& query, Micros now);

}  // namespace roost
