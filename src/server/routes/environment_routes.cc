#include "records/workspace_records.h"
#include "registry/environments.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Result<Response> list(App& app, Request& request) {
  Json items = Json::array();
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(const auto all, list_environments(tx, app.curated, request.parameters["workspace"],
                                                text_query(request, "name")));
    for (const auto& environment : all) items.push_back(environment_json(environment));
    return {};
  }));
  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
}

Result<Response> add(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the environment");
  const std::string name = fields.required_string("name");
  const Json definition = fields.object_as_given("definition");
  ROOST_CHECK(fields.done());
  Environment environment;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(environment, register_environment(tx, app.curated, request.parameters["workspace"], name,
                                                definition, app.clock.now()));
    return {};
  }));
  return json_response(environment_json(environment), 201);
}

Result<Response> get(App& app, Request& request) {
  std::optional<std::int64_t> version;
  if (request.query_value("version")) {
    ROOST_TRY(version, integer_query(request, "version", 1, 1, INT64_MAX));
  }
  Environment environment;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(environment, find_environment(tx, app.curated, request.parameters["workspace"],
                                            request.parameters["environment"], version));
    return {};
  }));
  return json_response(environment_json(environment));
}

}  // namespace

void add_environment_routes(Router& router, App& app) {
  const std::string environments = "/api/v1/workspaces/{workspace}/environments";
  add_operation(router, app, "GET", environments, "list_environments", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) { return list(app, request); });
  add_operation(router, app, "POST", environments, "register_environment", Need::kContributorOrRun,
                [&app](Request& request, const Principal&) { return add(app, request); });
  add_operation(router, app, "GET", environments + "/{environment}", "get_environment",
                Need::kReaderOrRun,
                [&app](Request& request, const Principal&) { return get(app, request); });
}

}  // namespace roost
