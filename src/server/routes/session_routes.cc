#include <fmt/format.h>

#include "base/text.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Json session_json(const Principal& who, std::optional<Micros> expires) {
  return {{"name", who.name}, {"role", role_name(who.role)},
          {"expires_at", expires ? Json(format_time(*expires)) : Json()}};
}

std::string cookie(const App& app, std::string_view value, std::int64_t seconds) {
  return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}", session_cookie_name(app), value, seconds,
                     app.url.starts_with("https:") ? "; Secure" : "");
}

// Another site's page may make a browser send text or a form here, which would log it in as someone else. Only JSON
// makes the browser ask first, and what it says of where the request comes from must be this server.
Status check_own_origin(const Request& request) {
  const std::string type = lower(request.header("content-type"));
  if (trim(type.substr(0, type.find(';'))) != "application/json") {
    return fail(ErrorCode::kInvalidArgument, "a login needs Content-Type: application/json");
  }
  const std::string site = lower(request.header("sec-fetch-site"));
  const std::string origin = lower(request.header("origin"));
  const std::string host = lower(request.header("host"));
  const bool known_site = site == "same-origin" || site == "none";
  const bool known_origin = origin.empty() || origin == "http://" + host || origin == "https://" + host;
  // A page of another site cannot add the header; behind a proxy the host may be another than the page's.
  if (site.empty() ? known_origin || !request.header("x-roost-studio").empty() : known_site) return {};
  return fail(ErrorCode::kPermissionDenied, "the page of another site cannot log this browser in");
}

Result<Response> create(App& app, const Request& request) {
  ROOST_CHECK(check_own_origin(request));
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the login");
  const std::string code = fields.string("code");
  const std::string token = fields.string("token");
  ROOST_CHECK(fields.done());
  if (code.empty() == token.empty()) {
    return fail(ErrorCode::kInvalidArgument, "give either \"code\", from the link of 'roost studio', or \"token\"");
  }
  ROOST_TRY(const auto made, code.empty() ? app.access->log_in_by_token(token) : app.access->log_in_by_code(code));
  Response response = json_response(session_json(made.principal, made.expires), 201);
  response.headers["Set-Cookie"] = cookie(app, made.secret, (made.expires - app.clock.now()) / kSecond);
  return response;
}

Result<Response> end(App& app, const Request& request) {
  if (const std::string session = session_of(app, request); !session.empty()) {
    ROOST_CHECK(app.access->log_out(session));
  }
  Response response = json_response({{"ended", true}});
  response.headers["Set-Cookie"] = cookie(app, "", 0);
  return response;
}

}  // namespace

void add_session_routes(Router& router, App& app) {
  add_operation(router, app, "POST", "/api/v1/login-codes", "create_login_code", Need::kReader,
                [&app](Request&, const Principal& who) -> Result<Response> {
                  ROOST_TRY(const auto made, app.access->create_code(who));
                  return json_response({{"code", made.code},
                                        {"url", fmt::format("{}/login#code={}", app.url, made.code)},
                                        {"expires_at", format_time(made.expires)}},
                                       201);
                });
  add_operation(router, app, "GET", "/api/v1/session", "get_session", Need::kReader,
                [](Request&, const Principal& who) -> Result<Response> {
                  return json_response(session_json(who, who.expires));
                });
  add_operation(router, app, "POST", "/api/v1/session", "create_session", Need::kNobody,
                [&app](Request& request, const Principal&) { return create(app, request); });
  add_operation(router, app, "DELETE", "/api/v1/session", "end_session", Need::kNobody,
                [&app](Request& request, const Principal&) { return end(app, request); });
}

}  // namespace roost
