#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"
#include "records/secret_records.h"
#include "records/workspace_records.h"
#include "server/routes/routes.h"
#include "server/secrets.h"

namespace roost {
namespace {

constexpr std::size_t kLongest = 64 * 1024;

Result<Response> list(App& app, Request& request) {
  const std::string workspace = request.parameters.at("workspace");
  ROOST_TRY(const auto limit, integer_query(request, "limit", 100, 1, 1000));
  std::vector<Secret> all;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(all, list_secrets(tx, workspace, text_query(request, "cursor"), limit + 1));
    return {};
  }));
  Json next;
  if (all.size() > static_cast<std::size_t>(limit)) {
    all.pop_back();
    next = all.back().name;
  }
  Json items = Json::array();
  for (const auto& secret : all) items.push_back(secret_json(secret));
  return json_response({{"items", std::move(items)}, {"next_cursor", next}});
}

// To those who could as well start a run that has it.
Result<Response> get(App& app, Request& request) {
  const std::string workspace = request.parameters.at("workspace");
  const std::string name = request.parameters.at("secret");
  ROOST_TRY(const std::string value, secret_value(app, workspace, name));
  return json_response({{"name", name}, {"value", value}});
}

Result<Response> set(App& app, Request& request, const Principal& who) {
  const std::string name = request.parameters.at("secret");
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the secret");
  const std::string value = fields.required_string("value");
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_secret_name(name));
  if (value.empty() || value.size() > kLongest || value.find('\0') != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("the value of the secret {} must have 1 to {} bytes, and no NUL byte", name,
                                                         kLongest));
  }
  const std::string workspace = request.parameters.at("workspace");
  const Micros now = app.clock.now();
  Secret secret{workspace, name, app.sealer->seal(value, secret_place(workspace, name)), now, now, who.name};
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_CHECK(save_secret(tx, secret));
    ROOST_TRY(secret, find_secret(tx, workspace, name));
    return {};
  }));
  return json_response(secret_json(secret));
}

Result<Response> remove(App& app, Request& request) {
  Secret secret;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(secret, find_secret(tx, request.parameters.at("workspace"), request.parameters.at("secret")));
    return delete_secret(tx, secret);
  }));
  return json_response(secret_json(secret));
}

}  // namespace

void add_secret_routes(Router& router, App& app) {
  const std::string all = "/api/v1/workspaces/{workspace}/secrets";
  const std::string one = all + "/{secret}";
  add_operation(router, app, "GET", all, "list_secrets", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) { return list(app, request); });
  add_operation(router, app, "GET", one, "get_secret", Need::kContributorOrRun,
                [&app](Request& request, const Principal&) { return get(app, request); });
  add_operation(router, app, "PUT", one, "set_secret", Need::kContributor,
                [&app](Request& request, const Principal& who) { return set(app, request, who); });
  add_operation(router, app, "DELETE", one, "delete_secret", Need::kContributor,
                [&app](Request& request, const Principal&) { return remove(app, request); });
}

}  // namespace roost
