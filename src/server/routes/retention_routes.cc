#include <fmt/format.h>

#include "domain/names.h"
#include "keeping/keeping_loop.h"
#include "records/retention_records.h"
#include "records/workspace_records.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

constexpr std::int64_t kRunsShown = 100;

Result<RetentionRule> rule_of(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(RetentionRule rule, parse_retention_rule(body));
  rule.workspace = request.parameters["workspace"];
  rule.created = app.clock.now();
  rule.created_by = who.name;
  return rule;
}

Result<Response> list_all(App& app, Request& request) {
  Json items = Json::array();
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(const auto all, list_retention_rules(tx, request.parameters["workspace"]));
    for (const auto& rule : all) items.push_back(retention_rule_json(rule));
    return {};
  }));
  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
}

Result<Response> save(App& app, Request& request, const Principal& who) {
  ROOST_TRY(RetentionRule rule, rule_of(app, request, who));
  rule.name = request.parameters["rule"];
  ROOST_CHECK(check_registry_name(rule.name, "rule"));
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, rule.workspace));
    return save_retention_rule(tx, rule);
  }));
  app.keeping->wake();
  return json_response(retention_rule_json(rule));
}

Result<Response> remove(App& app, Request& request) {
  RetentionRule rule;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(rule, find_retention_rule(tx, request.parameters["workspace"], request.parameters["rule"]));
    return delete_retention_rule(tx, rule);
  }));
  return json_response(retention_rule_json(rule));
}

// What the rule would remove now. Equal files of several runs are counted for each, so it is an upper bound of what it frees.
Result<Response> preview(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const RetentionRule rule, rule_of(app, request, who));
  std::vector<Run> runs;
  std::vector<RemovedRows> found;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, rule.workspace));
    ROOST_TRY(runs, runs_for_rule(tx, rule, app.clock.now(), INT64_MAX));
    for (const auto& run : runs) {
      ROOST_TRY(const RemovedRows rows, count_rows(tx, run.seq, rule.what));
      found.push_back(rows);
    }
    return {};
  }));
  Json items = Json::array();
  RemovedRows all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (rule.what == RunPart::kLogs) found[i].bytes = static_cast<std::int64_t>(app.logs->size_of_run(runs[i].id));
    all.rows += found[i].rows;
    all.bytes += found[i].bytes;
    if (static_cast<std::int64_t>(i) < kRunsShown) {
      items.push_back({{"run", runs[i].id}, {"files", found[i].rows}, {"bytes", found[i].bytes}});
    }
  }
  return json_response({{"runs", runs.size()}, {"files", all.rows}, {"bytes", all.bytes}, {"items", std::move(items)}});
}

}  // namespace

void add_retention_routes(Router& router, App& app) {
  const std::string workspace = "/api/v1/workspaces/{workspace}";
  add_operation(router, app, "GET", workspace + "/retention", "list_retention_rules", Need::kReader,
                [&app](Request& request, const Principal&) { return list_all(app, request); });
  add_operation(router, app, "PUT", workspace + "/retention/{rule}", "save_retention_rule", Need::kOwner,
                [&app](Request& request, const Principal& who) { return save(app, request, who); });
  add_operation(router, app, "DELETE", workspace + "/retention/{rule}", "delete_retention_rule", Need::kOwner,
                [&app](Request& request, const Principal&) { return remove(app, request); });
  add_operation(router, app, "POST", workspace + "/retention-preview", "preview_retention", Need::kReader,
                [&app](Request& request, const Principal& who) { return preview(app, request, who); });
}

}  // namespace roost
