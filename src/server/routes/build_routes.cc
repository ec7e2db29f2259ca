#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "records/run_records.h"
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
  app.request_build(wanted, "");
  return json_response(build_json(app, wanted.digest, "queued", ""), 202);
}

Result<Response> get(App& app, Request& request) {
  ROOST_TRY(const std::string digest, path_digest(request));
  const auto state = app.build_state(digest);
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
  const auto under_way = app.build_log(digest);
  const std::string log = under_way ? *under_way
                                    : read_file(app.environments->log_file(digest)).value_or("");
  Response response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = log.substr(std::min(log.size(), static_cast<std::size_t>(offset)));
  return response;
}

// Runs that have not ended hold on to their environment. Called in a write transaction: no run can
// choose one meanwhile.
Result<std::set<std::string>> in_use(Tx& tx) {
  std::set<std::string> used;
  ROOST_TRY(const auto active, active_runs(tx));
  for (const auto& run : active) {
    if (run.environment.is_object()) used.insert(text_at(run.environment, "digest"));
  }
  return used;
}

// Environments on their way out: taken from the cache in a write transaction, removed after it.
class Removal {
 public:
  explicit Removal(EnvironmentCache& cache) : cache_(cache) {}
  ~Removal() {
    for (auto& one : taken_) cache_.put_back(std::move(one));
  }
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;

  Status take_out(const std::string& digest) {
    ROOST_TRY(CachedEnvironment one, cache_.take_out(digest));
    taken_.push_back(std::move(one));
    return {};
  }
  // The transaction is on disk. All of them, whatever fails.
  Status finish() {
    Status all;
    for (const auto& one : std::exchange(taken_, {})) {
      if (const Status removed = cache_.remove_files(one); !removed && all) all = removed;
    }
    return all;
  }

 private:
  EnvironmentCache& cache_;
  std::vector<CachedEnvironment> taken_;
};

Result<Response> remove(App& app, Request& request) {
  ROOST_TRY(const std::string digest, path_digest(request));
  Removal removal(*app.environments);
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto used, in_use(tx));
    if (used.contains(digest)) {
      return fail(ErrorCode::kFailedPrecondition,
                  "a run that has not ended uses this environment; cancel it or wait");
    }
    return removal.take_out(digest);
  }));
  ROOST_CHECK(removal.finish());
  return json_response({{"removed", 1}});
}

Result<Response> prune(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the request");
  const auto age = fields.integer("unused_seconds", 0, 0, 315'360'000);
  const auto keep = fields.integer("keep_bytes", 0, 0, INT64_MAX);
  ROOST_CHECK(fields.done());
  std::int64_t removed = 0;
  std::uint64_t bytes = 0;
  std::uint64_t left = 0;
  Removal removal(*app.environments);
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto used, in_use(tx));
    auto all = app.environments->list();
    // The longest unused go first, until the rest fits.
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.used < b.used; });
    for (const auto& one : all) left += one.size;
    const Micros oldest = app.clock.now() - age * kSecond;
    for (const auto& one : all) {
      if (used.contains(one.digest) || one.used > oldest) continue;
      if (keep > 0 && left <= static_cast<std::uint64_t>(keep)) break;
      ROOST_CHECK(removal.take_out(one.digest));
      ++removed;
      bytes += one.size;
      left -= one.size;
    }
    return {};
  }));
  ROOST_CHECK(removal.finish());
  return json_response({{"removed", removed}, {"bytes", bytes}, {"kept_bytes", left}});
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
