#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "db/database.h"
#include "domain/run_column.h"
#include "domain/run_query.h"

namespace roost {

// The run table: rows by any filter, order and page, as the API shows them (RunRow, RunTable, RunGroups, RunColumns).

// Which metrics and parameters a row carries.
struct RowColumns {
  std::vector<std::string> metrics;
  std::vector<std::string> params;
  bool all_metrics = false;
  bool all_params = false;

  static RowColumns all() { return {{}, {}, true, true}; }
};

// "metrics.loss", "params.*"; anything else is refused.
Result<RowColumns> parse_row_columns(const std::vector<std::string>& texts);

struct RunTableRequest {
  std::string workspace;
  RunQuery query;
  RunOrder order;
  std::int64_t offset = 0;
  std::int64_t limit = 100;
  RowColumns columns;
};
// {"items", "total"}
Result<Json> query_runs(Tx& tx, const RunTableRequest& request, Micros now);

// {"items"}: the 500 values of a column that most runs have, null among them. kInvalidArgument for a column that is
// not for grouping.
Result<Json> group_runs(Tx& tx, const std::string& workspace, const RunQuery& query, const RunColumn& by, Micros now);

// {"metrics", "params", "tags"}, at most 1000 names of each.
Result<Json> list_run_columns(Tx& tx, const std::string& workspace);

// An array of the rows of these runs, in this order; those that the workspace does not have are left out.
Result<Json> run_rows(Tx& tx, const std::string& workspace, const std::vector<std::string>& ids,
                      const RowColumns& columns = RowColumns::all());

}  // namespace roost
