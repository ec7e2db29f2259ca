#include <fmt/format.h>

#include "alerts/alert_loop.h"
#include "alerts/channel_secret.h"
#include "base/text.h"
#include "domain/names.h"
#include "mlflow/label_names.h"
#include "records/alert_records.h"
#include "records/workspace_records.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Result<Response> save(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  Channel channel;
  channel.name = request.parameters["channel"];
  ROOST_CHECK(check_channel_name(channel.name));
  ROOST_TRY(channel.spec, parse_channel(body));
  channel.created = app.clock.now();
  channel.created_by = who.name;
  seal_channel(channel, *app.sealer);
  ROOST_CHECK(app.db->write([&](Tx& tx) { return save_channel(tx, channel); }));
  return json_response(channel_json(channel));
}

Result<Response> remove(App& app, Request& request) {
  Channel channel;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(channel, find_channel(tx, request.parameters["channel"]));
    return delete_channel(tx, channel.name);
  }));
  return json_response(channel_json(channel));
}

Result<Response> list_all(App& app) {
  Json items = Json::array();
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const auto all, list_channels(tx));
    for (const auto& channel : all) items.push_back(channel_json(channel));
    return {};
  }));
  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
}

Result<Response> list_rules(App& app, Request& request) {
  const std::string workspace = request.parameters["workspace"];
  Json items = Json::array();
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(const auto all, list_alert_rules(tx, workspace));
    for (const auto& rule : all) items.push_back(alert_rule_json(rule));
    return {};
  }));
  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
}

Result<Response> add_rule(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the rule");
  AlertRule rule;
  rule.workspace = request.parameters["workspace"];
  rule.channel = fields.required_string("channel");
  rule.experiment = fields.string("experiment");
  const auto names = fields.strings("events");
  ROOST_CHECK(fields.done());
  if (!rule.experiment.empty()) ROOST_CHECK(mlflow::check_experiment_name(rule.experiment));
  ROOST_TRY(rule.events, parse_alert_events(names));
  rule.created = app.clock.now();
  rule.created_by = who.name;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, rule.workspace));
    return insert_alert_rule(tx, rule);
  }));
  return json_response(alert_rule_json(rule), 201);
}

Result<Response> remove_rule(App& app, Request& request) {
  const std::string workspace = request.parameters["workspace"];
  const std::string text = request.parameters["rule"];
  const bool is_number = !text.empty() && text.size() < 18 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is not the number of a rule", printable(text)));
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    return delete_alert_rule(tx, workspace, std::stoll(text));
  }));
  return json_response({{"removed", true}});
}

Result<Response> log_of(App& app, Request& request) {
  const std::string workspace = request.parameters["workspace"];
  ROOST_TRY(const auto limit, integer_query(request, "limit", 50, 1, 1000));
  ROOST_TRY(const auto before, integer_query(request, "cursor", INT64_MAX, 0, INT64_MAX));
  std::vector<Alert> all;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(all, list_alerts(tx, workspace, before, limit + 1));
    return {};
  }));
  Json next;
  if (static_cast<std::int64_t>(all.size()) > limit) {
    all.pop_back();
    next = std::to_string(all.back().id);
  }
  Json items = Json::array();
  for (const auto& alert : all) items.push_back(alert_json(alert));
  return json_response({{"items", std::move(items)}, {"next_cursor", next}});
}

}  // namespace

void add_alert_routes(Router& router, App& app) {
  const std::string channels = "/api/v1/alerts/channels";
  const std::string workspace = "/api/v1/workspaces/{workspace}";
  add_operation(router, app, "GET", channels, "list_channels", Need::kReader,
                [&app](Request&, const Principal&) { return list_all(app); });
  add_operation(router, app, "PUT", channels + "/{channel}", "save_channel", Need::kOwner,
                [&app](Request& request, const Principal& who) { return save(app, request, who); });
  add_operation(router, app, "DELETE", channels + "/{channel}", "delete_channel", Need::kOwner,
                [&app](Request& request, const Principal&) { return remove(app, request); });
  add_operation(router, app, "POST", channels + "/{channel}/test", "test_channel", Need::kContributor,
                [&app](Request& request, const Principal& who) -> Result<Response> {
                  ROOST_TRY(const Alert alert, app.alerts->test(request.parameters["channel"], who.name));
                  return json_response(alert_json(alert));
                });
  add_operation(router, app, "GET", workspace + "/alert-rules", "list_alert_rules", Need::kReader,
                [&app](Request& request, const Principal&) { return list_rules(app, request); });
  add_operation(router, app, "POST", workspace + "/alert-rules", "create_alert_rule", Need::kContributor,
                [&app](Request& request, const Principal& who) { return add_rule(app, request, who); });
  add_operation(router, app, "DELETE", workspace + "/alert-rules/{rule}", "delete_alert_rule", Need::kContributor,
                [&app](Request& request, const Principal&) { return remove_rule(app, request); });
  add_operation(router, app, "GET", workspace + "/alerts", "list_alerts", Need::kReader,
                [&app](Request& request, const Principal&) { return log_of(app, request); });
}

}  // namespace roost
