#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "prepare/remove_environments.h"
#include "records/workspace_records.h"
#include "registry/environments.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Json build_json(App& app, const std::string& digest, const std::string& status, const std::string& message) {
  Json out = {{"digest", digest}, {"status", status}, {"message", message}, {"environment", nullptr}};
  if (status == "built") {
    for (const auto& cached : app.environments->list()) {
      if (cached.digest == digest) out["environment"] = cached_environment_json(cached);
    }
  }
  return out;
}

Result<std::string> path_digest(const Request& request) {
  const std::string& digest = request.parameters.at("digest");
  if (is_digest(digest)) return digest;
  return fail(ErrorCode::kInvalidArgument, "a build is named by 64 lower-case hex digits");
}

// Builds what a definition asks for before any run needs it; answers at once.
Result<Response> build(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the request");
  const std::string pins = fields.string("pins");
  ROOST_CHECK(fields.done());
  std::optional<std::int64_t> version;
  if (request.query_value("version")) {
    ROOST_TRY(version, integer_query(request, "version", 1, 1, INT64_MAX));
  }
  Run asked;  // only what it would run in
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(const Environment found, find_environment(tx, app.curated, request.parameters["workspace"],
                                                        request.parameters["environment"], version));
    asked.environment = {{"definition", found.definition}, {"pins", pins}};
    return {};
  }));
  ROOST_TRY(const BuildRequest wanted, build_of(asked, app.build_settings));
  if (!wanted.plan.needs_build()) {
    return json_response(build_json(app, wanted.digest, "nothing_to_build", ""), 202);
  }
  if (app.environments->find(wanted.digest, app.clock.now())) {
    return json_response(build_json(app, wanted.digest, "built", ""), 202);
  }
  app.builds->request(wanted, "");
  return json_response(build_json(app, wanted.digest, "queued", ""), 202);
}

Result<Response> get(App& app, Request& request) {
  ROOST_TRY(const std::string digest, path_digest(request));
  const auto state = app.builds->state(digest);
  if (!state) return fail(ErrorCode::kNotFound, fmt::format("there is no build {}", digest));
  return json_response(build_json(app, digest, state->status, state->message));
}

Result<Response> list(App& app, Request&) {
  Json items = Json::array();
  for (const auto& environment : app.environments->list()) {
    items.push_back(cached_environment_json(environment));
  }
  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
}

Result<Response> get_log(App& app, Request& request) {
  ROOST_TRY(const std::string digest, path_digest(request));
  ROOST_TRY(const auto offset, integer_query(request, "offset", 0, 0, INT64_MAX));
  const auto under_way = app.builds->log(digest);
  const std::string log = under_way ? *under_way
                                    : read_file(app.environments->log_file(digest)).value_or("");
  Response response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = log.substr(std::min(log.size(), static_cast<std::size_t>(offset)));
  return response;
}

Result<Response> remove(App& app, Request& request) {
  ROOST_TRY(const std::string digest, path_digest(request));
  ROOST_CHECK(remove_environment(*app.db, *app.environments, digest));
  return json_response({{"removed", 1}});
}

Result<Response> prune(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the request");
  const auto age = fields.integer("unused_seconds", 0, 0, 315'360'000);
  const auto keep = fields.integer("keep_bytes", 0, 0, INT64_MAX);
  ROOST_CHECK(fields.done());
  ROOST_TRY(const PrunedEnvironments pruned,
            prune_environments(*app.db, *app.environments, app.clock.now() - age * kSecond, keep));
  return json_response({{"removed", pruned.removed}, {"bytes", pruned.bytes}, {"kept_bytes", pruned.left}});
}

}  // namespace

void add_build_routes(Router& router, App& app) {
  const std::string builds = "/api/v1/environment-builds";
  const auto add = [&](const char* method, const std::string& pattern, const char* operation, Need need,
                       Result<Response> (*handler)(App&, Request&)) {
    add_operation(router, app, method, pattern, operation, need,
                  [&app, handler](Request& request, const Principal&) { return handler(app, request); });
  };
  add("POST", "/api/v1/workspaces/{workspace}/environments/{environment}/build", "build_environment",
      Need::kContributorOrRun, build);
  add("GET", builds, "list_environment_builds", Need::kReader, list);
  add("POST", builds + "/prune", "prune_environment_builds", Need::kContributor, prune);
  add("GET", builds + "/{digest}", "get_environment_build", Need::kReaderOrRun, get);
  add("DELETE", builds + "/{digest}", "delete_environment_build", Need::kContributor, remove);
  add("GET", builds + "/{digest}/log", "get_environment_build_log", Need::kReaderOrRun, get_log);
}

}  // namespace roost
