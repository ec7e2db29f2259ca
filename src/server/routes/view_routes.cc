#include "base/text.h"
#include "domain/names.h"
#include "records/view_records.h"
#include "records/workspace_records.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Result<Response> list(App& app, Request& request) {
  const std::string workspace = request.parameters["workspace"];
  Json items = Json::array();
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(const auto views, list_views(tx, workspace));
    for (const View& view : views) items.push_back(view_json(view));
    return {};
  }));
  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
}

Result<Response> save(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the view");
  View view;
  view.name = request.parameters["view"];
  view.state = fields.string("state");
  if (!fields.has("state")) fields.reject("the view needs \"state\", the query string of its page");
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_text(view.name, "the name of the view", 100));
  ROOST_CHECK(check_text(view.state, "the state of the view", 4000));
  view.created_by = who.name;
  view.created = app.clock.now();
  const std::string workspace = request.parameters["workspace"];
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    return save_view(tx, workspace, view);
  }));
  return json_response(view_json(view));
}

Result<Response> remove(App& app, Request& request) {
  const std::string workspace = request.parameters["workspace"];
  View view;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(view, find_view(tx, workspace, request.parameters["view"]));
    return delete_view(tx, workspace, view.name);
  }));
  return json_response(view_json(view));
}

}  // namespace

void add_view_routes(Router& router, App& app) {
  const std::string views = "/api/v1/workspaces/{workspace}/views";
  add_operation(router, app, "GET", views, "list_views", Need::kReader,
                [&app](Request& request, const Principal&) { return list(app, request); });
  add_operation(router, app, "PUT", views + "/{view}", "save_view", Need::kContributor,
                [&app](Request& request, const Principal& who) { return save(app, request, who); });
  add_operation(router, app, "DELETE", views + "/{view}", "delete_view", Need::kContributor,
                [&app](Request& request, const Principal&) { return remove(app, request); });
}

}  // namespace roost
