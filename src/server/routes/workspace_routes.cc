#include <fmt/format.h>

#include "domain/names.h"
#include "domain/run_spec.h"
#include "records/bin_records.h"
#include "records/compute_records.h"
#include "records/workspace_records.h"
#include "server/default_compute.h"
#include "server/routes/routes.h"

namespace roost {

void add_workspace_routes(Router& router, App& app) {
  add_operation(router, app, "GET", "/api/v1/workspaces", "list_workspaces", Need::kReader,
                [&app](Request&, const Principal&) -> Result<Response> {
                  Json items = Json::array();
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_TRY(const auto all, list_workspaces(tx));
                    for (const auto& workspace : all) items.push_back(workspace_json(workspace));
                    return {};
                  }));
                  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
                });
  add_operation(router, app, "POST", "/api/v1/workspaces", "create_workspace", Need::kContributor,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const Json body, json_body(request));
                  JsonFields fields(body, "the workspace");
                  const std::string name = fields.required_string("name");
                  ROOST_CHECK(fields.done());
                  ROOST_CHECK(check_workspace_name(name));
                  Workspace made;
                  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
                    ROOST_TRY(made, insert_workspace(tx, name, app.clock.now()));
                    return insert_default_compute(tx, name, app.machine, app.clock.now());
                  }));
                  return json_response(workspace_json(made), 201);
                });
  add_operation(router, app, "GET", "/api/v1/workspaces/{workspace}", "get_workspace", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  Workspace found;
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_TRY(found, find_workspace(tx, request.parameters["workspace"]));
                    return {};
                  }));
                  return json_response(workspace_json(found));
                });

  const std::string experiments = "/api/v1/workspaces/{workspace}/experiments";
  add_operation(router, app, "GET", experiments, "list_experiments", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const auto limit, integer_query(request, "limit", 50, 1, 1000));
                  ROOST_TRY(const InBin bin, bin_query(request));
                  std::vector<Experiment> all;
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
                    ROOST_TRY(all, list_experiments(tx, request.parameters["workspace"],
                                                    text_query(request, "cursor"), limit + 1, bin));
                    return {};
                  }));
                  Json next;
                  if (all.size() > static_cast<std::size_t>(limit)) {
                    all.pop_back();
                    next = all.back().name;
                  }
                  Json items = Json::array();
                  for (const auto& experiment : all) items.push_back(experiment_json(experiment));
                  return json_response({{"items", std::move(items)}, {"next_cursor", next}});
                });
  add_operation(router, app, "POST", experiments, "create_experiment", Need::kContributorOrRun,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const Json body, json_body(request));
                  JsonFields fields(body, "the experiment");
                  const std::string name = fields.required_string("name");
                  ROOST_CHECK(fields.done());
                  ROOST_CHECK(check_experiment_name(name));
                  Experiment made;
                  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
                    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
                    ROOST_TRY(made, insert_experiment(tx, request.parameters["workspace"], name,
                                                      app.clock.now()));
                    return {};
                  }));
                  return json_response(experiment_json(made), 201);
                });
  add_operation(router, app, "GET", experiments + "/{experiment}", "get_experiment", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  Experiment found;
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
                    ROOST_TRY(found, find_experiment(tx, request.parameters["workspace"],
                                                     request.parameters["experiment"]));
                    return {};
                  }));
                  return json_response(experiment_json(found));
                });
  add_operation(router, app, "PATCH", experiments + "/{experiment}", "update_experiment",
                Need::kContributor, [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const Json body, json_body(request));
                  JsonFields fields(body, "the experiment");
                  Experiment changed;
                  const Json tags = fields.string_map("tags", true);
                  const auto removed_tags = fields.strings("remove_tags");
                  const bool set_archived = fields.has("archived");
                  const bool archived = fields.boolean("archived", false);
                  ROOST_CHECK(fields.done());
                  ROOST_CHECK(check_labels(tags, "tags"));
                  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
                    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
                    ROOST_TRY(changed, find_experiment(tx, request.parameters["workspace"],
                                                       request.parameters["experiment"]));
                    ROOST_CHECK(check_not_in_bin(changed));
                    if (set_archived) changed.archived = archived;
                    for (const auto& key : removed_tags) changed.tags.erase(key);
                    changed.tags.update(tags);
                    ROOST_CHECK(check_labels(changed.tags, "tags"));
                    return save_experiment(tx, changed);
                  }));
                  return json_response(experiment_json(changed));
                });
}

}  // namespace roost
