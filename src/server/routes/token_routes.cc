#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"
#include "server/routes/routes.h"

namespace roost {

void add_token_routes(Router& router, App& app) {
  add_operation(router, app, "GET", "/api/v1/tokens", "list_tokens", Need::kOwner,
                [&app](Request&, const Principal&) -> Result<Response> {
                  ROOST_TRY(const auto all, app.access->list());
                  Json items = Json::array();
                  for (const auto& token : all) items.push_back(token_json(token));
                  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
                });
  add_operation(router, app, "POST", "/api/v1/tokens", "create_token", Need::kOwner,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const Json body, json_body(request));
                  JsonFields fields(body, "the token");
                  const std::string name = fields.required_string("name");
                  const std::string role_text = fields.string("role", "reader");
                  std::optional<Micros> lifetime;
                  if (fields.has("expires_in_seconds")) {
                    lifetime = fields.integer("expires_in_seconds", 0, 1, 315'360'000) * kSecond;
                  }
                  ROOST_CHECK(fields.done());
                  ROOST_CHECK(check_text(name, "the token's name", 100));
                  if (name.empty()) return fail(ErrorCode::kInvalidArgument, "the token's name is empty");
                  const auto role = role_from_name(role_text);
                  if (!role) {
                    return fail(ErrorCode::kInvalidArgument,
                                fmt::format("\"{}\" is not a role; they are owner, contributor, reader",
                                            printable(role_text)));
                  }
                  ROOST_TRY(const auto made, app.access->create(name, *role, lifetime));
                  Json answer = token_json(made.token);
                  answer["token"] = made.secret;
                  return json_response(answer, 201);
                });
  add_operation(router, app, "DELETE", "/api/v1/tokens/{id}", "revoke_token", Need::kOwner,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_CHECK(app.access->revoke(request.parameters["id"]));
                  return json_response({{"id", request.parameters["id"]}, {"revoked", true}});
                });
}

}  // namespace roost
