#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/database.h"
#include "domain/run_query.h"
#include "records/run_set.h"

namespace roost {

// What a query finds among the runs of a workspace.
struct FoundRuns {
  std::string workspace;
  RunSet runs;
  // By row: the newest attempt of each run of the workspace, which is the one whose metrics count.
  std::vector<std::int32_t> attempts;

  bool is_newest(std::int64_t row, std::int64_t attempt) const {
    const auto at = static_cast<std::size_t>(row);
    return at < attempts.size() && attempts[at] == attempt;
  }
};

// Each term of the query becomes one walk along an index, and its result a set. So every statement has a fixed text,
// whatever the query is, and what the user wrote is only ever bound to it.
Result<FoundRuns> search_runs(Tx& tx, const std::string& workspace, const RunQuery& query, Micros now);

}  // namespace roost
