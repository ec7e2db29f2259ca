#include "records/run_table.h"
#include "records/workspace_records.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

// Of what is in the bin whatever fits is meant, archived or not.
Result<RunQuery> query_of(const Request& request) {
  ROOST_TRY(RunQuery query, parse_run_query(text_query(request, "q")));
  ROOST_TRY(const InBin bin, bin_query(request));
  if (bin == InBin::kLeftOut) return query;
  query.bin = bin;
  query.archived_too = true;
  return query;
}

Result<Response> query_table(App& app, Request& request) {
  RunTableRequest wanted;
  wanted.workspace = request.parameters["workspace"];
  ROOST_TRY(wanted.query, query_of(request));
  ROOST_TRY(wanted.order, parse_run_order(request.query_value("sort").value_or("-created")));
  ROOST_TRY(wanted.offset, integer_query(request, "offset", 0, 0, INT64_MAX));
  ROOST_TRY(wanted.limit, integer_query(request, "limit", 100, 0, 1000));
  ROOST_TRY(wanted.columns, parse_row_columns(text_queries(request, "column")));
  Json answer;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, wanted.workspace));
    ROOST_TRY(answer, query_runs(tx, wanted, app.clock.now()));
    return {};
  }));
  return json_response(answer);
}

Result<Response> group_table(App& app, Request& request) {
  const std::string workspace = request.parameters["workspace"];
  ROOST_TRY(const RunQuery query, query_of(request));
  ROOST_TRY(const RunColumn by, parse_run_column(text_query(request, "by")));
  Json answer;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(answer, group_runs(tx, workspace, query, by, app.clock.now()));
    return {};
  }));
  return json_response(answer);
}

Result<Response> list_columns(App& app, Request& request) {
  const std::string workspace = request.parameters["workspace"];
  Json answer;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(answer, list_run_columns(tx, workspace));
    return {};
  }));
  return json_response(answer);
}

}  // namespace

void add_table_routes(Router& router, App& app) {
  const std::string workspace = "/api/v1/workspaces/{workspace}";
  add_operation(router, app, "GET", workspace + "/run-table", "query_runs", Need::kReader,
                [&app](Request& request, const Principal&) { return query_table(app, request); });
  add_operation(router, app, "GET", workspace + "/run-groups", "group_runs", Need::kReader,
                [&app](Request& request, const Principal&) { return group_table(app, request); });
  add_operation(router, app, "GET", workspace + "/run-columns", "list_run_columns", Need::kReader,
                [&app](Request& request, const Principal&) { return list_columns(app, request); });
}

}  // namespace roost
