#include <fmt/format.h>

#include "base/digest.h"
#include "domain/secret_variables.h"
#include "records/compute_records.h"
#include "records/endpoint_records.h"
#include "records/workspace_records.h"
#include "server/default_compute.h"
#include "server/routes/endpoint_answers.h"
#include "server/settle_deployment.h"

namespace roost {
namespace {

constexpr std::size_t kKeyBytes = 24;

std::string key_or_new(const std::string& given) { return given.empty() ? random_hex(kKeyBytes) : given; }

void seal_deployment(const App& app, DeploymentSpec& deployment) {
  seal_variables(deployment.environment_variables, *app.sealer);
  if (deployment.environment.contains("variables")) seal_variables(deployment.environment["variables"], *app.sealer);
}

// Whoever changes a deployment sends all of it, and has seen masks in place of its secrets. They stay, if it is his: other
// code that somebody else gives it must not get them.
Status keep_secrets(Json& variables, const Json& before, bool is_own) {
  Json given = Json::object();
  for (auto& item : variables.items()) {
    if (item.value() == kMaskedValue && is_own && before.contains(item.key())) {
      item.value() = before[item.key()];
    } else {
      given[item.key()] = item.value();
    }
  }
  return check_values_are_given(given);
}

Status settle_all(App& app, const std::string& workspace, EndpointSpec& spec) {
  for (auto& deployment : spec.deployments) {
    ROOST_CHECK(check_values_are_given(deployment.environment_variables));
    ROOST_CHECK(check_values_are_given(object_at(deployment.environment, "variables")));
    seal_deployment(app, deployment);
    ROOST_CHECK(settle_deployment(*app.db, *app.blobs, workspace, deployment));
  }
  return {};
}

// Its compute is there: the one for endpoints is made with the first of them.
Status check_compute_of(App& app, Tx& tx, const EndpointRow& endpoint) {
  const auto found = find_compute(tx, endpoint.workspace, endpoint.spec.compute);
  if (found) return {};
  if (endpoint.spec.compute != kEndpointCompute) return fail(found.error());
  return insert_endpoint_compute(tx, endpoint.workspace, app.clock.now());
}

Status check_port_is_free(Tx& tx, const EndpointRow& endpoint) {
  if (endpoint.spec.port == 0) return {};
  ROOST_TRY(const auto all, list_endpoints(tx));
  for (const auto& other : all) {
    if (other.seq == endpoint.seq || other.spec.port != endpoint.spec.port) continue;
    return fail(ErrorCode::kAlreadyExists, fmt::format("the port {} is that of the endpoint {} in the workspace {}; choose another",
                                                       endpoint.spec.port, other.spec.name, other.workspace));
  }
  return {};
}

// Writes an endpoint that has changed, as its next revision.
Status store_change(App& app, Tx& tx, EndpointRow& endpoint, const std::string& why, const Principal& who) {
  ROOST_CHECK(settle_traffic(endpoint.spec));
  ROOST_CHECK(check_compute_of(app, tx, endpoint));
  ROOST_CHECK(check_port_is_free(tx, endpoint));
  endpoint.updated = app.clock.now();
  ROOST_CHECK(save_endpoint(tx, endpoint));
  ROOST_TRY(const auto models, models_of(tx, endpoint.workspace, endpoint.spec));
  ROOST_CHECK(set_endpoint_models(tx, endpoint.seq, models));
  return insert_revision(tx, endpoint, why, who.name, endpoint.updated);
}

void put_deployment(EndpointSpec& spec, DeploymentSpec deployment) {
  for (auto& one : spec.deployments) {
    if (one.name != deployment.name) continue;
    one = std::move(deployment);
    return;
  }
  spec.deployments.push_back(std::move(deployment));
}

Status make_endpoint(App& app, Tx& tx, NewEndpoint& made, const std::string& workspace, const Principal& who) {
  EndpointRow endpoint;
  endpoint.workspace = workspace;
  endpoint.spec = made.spec;
  endpoint.primary_key = key_or_new(made.primary_key);
  endpoint.secondary_key = key_or_new(made.secondary_key);
  endpoint.created = endpoint.updated = app.clock.now();
  endpoint.created_by = who.name;
  for (auto& deployment : endpoint.spec.deployments) deployment.revision = endpoint.revision;
  ROOST_CHECK(insert_endpoint(tx, endpoint));
  return store_change(app, tx, endpoint, "created", who);
}

// In place of what is there under that name: its keys and its address stay, and it serves until the new one does.
Status overwrite(App& app, Tx& tx, const NewEndpoint& made, EndpointRow endpoint, const Principal& who) {
  ++endpoint.revision;
  endpoint.spec = made.spec;
  for (auto& deployment : endpoint.spec.deployments) deployment.revision = endpoint.revision;
  if (!made.primary_key.empty()) endpoint.primary_key = made.primary_key;
  if (!made.secondary_key.empty()) endpoint.secondary_key = made.secondary_key;
  return store_change(app, tx, endpoint, "overwritten", who);
}

Result<Response> create(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(NewEndpoint made, parse_new_endpoint(body));
  const std::string workspace = request.parameters.at("workspace");
  const auto hold = app.blobs->hold();
  ROOST_CHECK(settle_all(app, workspace, made.spec));
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    const auto there = find_endpoint(tx, workspace, made.spec.name);
    if (!there) return make_endpoint(app, tx, made, workspace, who);
    if (made.overwrite) return overwrite(app, tx, made, *there, who);
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("there is an endpoint {} already; delete it, or ask for it to be overwritten", made.spec.name));
  }));
  app.changes.endpoint_changed(made.spec.name);
  return endpoint_answer(app, workspace, made.spec.name, who, 201);
}

Result<Response> list(App& app, Request& request, const Principal& who) {
  Json items = Json::array();
  const EndpointView view = endpoint_view(app);
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters.at("workspace")));
    ROOST_TRY(const auto endpoints, list_endpoints(tx, request.parameters.at("workspace")));
    for (const auto& endpoint : endpoints) {
      ROOST_TRY(Json one, endpoint_json(tx, endpoint, view, who));
      items.push_back(std::move(one));
    }
    return {};
  }));
  return json_response({{"endpoints", std::move(items)}});
}

Result<Response> get(App& app, Request& request, const Principal& who) {
  return endpoint_answer(app, request.parameters.at("workspace"), request.parameters.at("endpoint"), who);
}

// Reads the endpoint of the path, lets `work` change it, stores it as its next revision, and answers it.
Result<Response> change(App& app, Request& request, const Principal& who, const std::string& why,
                        const std::function<Status(Tx&, EndpointRow&)>& work) {
  const std::string workspace = request.parameters.at("workspace");
  const std::string name = request.parameters.at("endpoint");
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(EndpointRow endpoint, find_endpoint(tx, workspace, name));
    ++endpoint.revision;
    ROOST_CHECK(work(tx, endpoint));
    return store_change(app, tx, endpoint, why, who);
  }));
  app.changes.endpoint_changed(name);
  return endpoint_answer(app, workspace, name, who);
}

Result<Response> update(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  return change(app, request, who, "updated", [&](Tx&, EndpointRow& endpoint) -> Status {
    ROOST_TRY(const EndpointUpdate keys, apply_endpoint_update(body, endpoint.spec));
    if (keys.primary_key) endpoint.primary_key = key_or_new(*keys.primary_key);
    if (keys.secondary_key) endpoint.secondary_key = key_or_new(*keys.secondary_key);
    return {};
  });
}

Result<Response> remove(App& app, Request& request) {
  std::string slug;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters.at("workspace")));
    ROOST_TRY(const EndpointRow endpoint, find_endpoint(tx, request.parameters.at("workspace"), request.parameters.at("endpoint")));
    slug = endpoint.slug;
    return delete_endpoint(tx, endpoint.seq);
  }));
  app.changes.endpoint_changed(slug);
  return json_response(Json::object());
}

Result<Response> set_deployment(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  const std::string name = request.parameters.at("deployment");
  ROOST_TRY(DeploymentSpec deployment, parse_deployment(body, name));
  const auto hold = app.blobs->hold();
  ROOST_CHECK(settle_deployment(*app.db, *app.blobs, request.parameters.at("workspace"), deployment));
  return change(app, request, who, fmt::format("deployment {} set", name), [&](Tx&, EndpointRow& endpoint) -> Status {
    DeploymentSpec changed = deployment;
    changed.revision = endpoint.revision;
    const DeploymentSpec* before = endpoint.spec.find(name);
    const Json kept = before ? before->environment_variables : Json::object();
    ROOST_CHECK(keep_secrets(changed.environment_variables, kept, may_see_variables(who, endpoint)));
    ROOST_CHECK(check_values_are_given(object_at(changed.environment, "variables")));
    seal_deployment(app, changed);
    put_deployment(endpoint.spec, std::move(changed));
    return {};
  });
}

Result<Response> remove_deployment(App& app, Request& request, const Principal& who) {
  const std::string name = request.parameters.at("deployment");
  return change(app, request, who, fmt::format("deployment {} removed", name), [&](Tx&, EndpointRow& endpoint) -> Status {
    EndpointSpec& spec = endpoint.spec;
    if (!spec.find(name)) {
      return fail(ErrorCode::kNotFound, fmt::format("the endpoint {} has no deployment {}", spec.name, name));
    }
    const auto share = spec.traffic.find(name);
    const bool is_last = spec.deployments.size() == 1;
    if (share != spec.traffic.end() && share->second == 100 && !is_last) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{} takes all requests of {}; give the traffic to another deployment first", name, spec.name));
    }
    spec.traffic.erase(name);
    spec.shadow.erase(name);
    std::erase_if(spec.deployments, [&](const DeploymentSpec& one) { return one.name == name; });
    return {};
  });
}

bool is_as_before(const DeploymentSpec& one, const DeploymentSpec& other) {
  Json a = deployment_json(one);
  Json b = deployment_json(other);
  a.erase("revision");
  b.erase("revision");
  return a == b;
}

// The state before the newest change, as a change of its own: rolling back twice is where one began. A deployment that is the
// same in both keeps its replicas.
Result<Response> roll_back(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the rollback");
  const bool says_which = fields.has("revision");
  const auto wanted = fields.integer("revision", 0, 1, INT64_MAX);
  ROOST_CHECK(fields.done());
  return change(app, request, who, says_which ? fmt::format("rolled back to revision {}", wanted) : "rolled back",
                [&](Tx& tx, EndpointRow& endpoint) -> Status {
                  ROOST_TRY(const auto revisions, list_revisions(tx, endpoint.seq));
                  for (const auto& one : revisions) {
                    if (says_which ? one.revision != wanted : one.revision >= endpoint.revision - 1) continue;
                    ROOST_TRY(EndpointSpec before, stored_endpoint(one.spec));
                    for (auto& deployment : before.deployments) {
                      const DeploymentSpec* now = endpoint.spec.find(deployment.name);
                      deployment.revision = now && is_as_before(*now, deployment) ? now->revision : endpoint.revision;
                    }
                    endpoint.spec = std::move(before);
                    return {};
                  }
                  return fail(ErrorCode::kFailedPrecondition, says_which ? fmt::format("{} has no revision {}", endpoint.spec.name, wanted)
                                                                         : fmt::format("{} has never been anything else", endpoint.spec.name));
                });
}

// New replicas of the same, which take over when they are ready.
Result<Response> restart(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the restart");
  const std::string only = fields.string("deployment");
  ROOST_CHECK(fields.done());
  return change(app, request, who, "restarted", [&](Tx&, EndpointRow& endpoint) -> Status {
    if (!only.empty() && !endpoint.spec.find(only)) {
      return fail(ErrorCode::kNotFound, fmt::format("the endpoint {} has no deployment {}", endpoint.spec.name, only));
    }
    for (auto& deployment : endpoint.spec.deployments) {
      if (only.empty() || deployment.name == only) deployment.revision = endpoint.revision;
    }
    return {};
  });
}

Result<Response> revisions(App& app, Request& request) {
  Json items = Json::array();
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters.at("workspace")));
    ROOST_TRY(const EndpointRow endpoint, find_endpoint(tx, request.parameters.at("workspace"), request.parameters.at("endpoint")));
    ROOST_TRY(const auto all, list_revisions(tx, endpoint.seq));
    for (const auto& one : all) {
      Json deployments = Json::array();
      for (const auto& deployment : array_at(one.spec, "deployments")) {
        deployments.push_back({{"name", text_at(deployment, "name")}, {"models", strings_at(deployment, "models")}});
      }
      items.push_back({{"revision", one.revision},
                       {"why", one.why},
                       {"created_at", format_time(one.created)},
                       {"created_by", one.created_by},
                       {"traffic", object_at(one.spec, "traffic")},
                       {"deployments", std::move(deployments)}});
    }
    return {};
  }));
  return json_response({{"revisions", std::move(items)}});
}

}  // namespace

void add_endpoint_routes(Router& router, App& app) {
  const std::string all = "/api/v1/workspaces/{workspace}/endpoints";
  const std::string one = all + "/{endpoint}";
  const std::string deployment = one + "/deployments/{deployment}";
  const auto add = [&](const char* method, const std::string& pattern, const char* operation, Need need, ApiHandler handler) {
    add_operation(router, app, method, pattern, operation, need, std::move(handler));
  };
  add("GET", all, "list_endpoints", Need::kReader, [&app](Request& request, const Principal& who) { return list(app, request, who); });
  add("POST", all, "create_endpoint", Need::kContributor, [&app](Request& request, const Principal& who) { return create(app, request, who); });
  add("GET", one, "get_endpoint", Need::kReader, [&app](Request& request, const Principal& who) { return get(app, request, who); });
  add("PATCH", one, "update_endpoint", Need::kContributor, [&app](Request& request, const Principal& who) { return update(app, request, who); });
  add("DELETE", one, "delete_endpoint", Need::kContributor, [&app](Request& request, const Principal&) { return remove(app, request); });
  add("PUT", deployment, "set_deployment", Need::kContributor,
      [&app](Request& request, const Principal& who) { return set_deployment(app, request, who); });
  add("DELETE", deployment, "delete_deployment", Need::kContributor,
      [&app](Request& request, const Principal& who) { return remove_deployment(app, request, who); });
  add("POST", one + "/rollback", "roll_back_endpoint", Need::kContributor,
      [&app](Request& request, const Principal& who) { return roll_back(app, request, who); });
  add("POST", one + "/restart", "restart_endpoint", Need::kContributor,
      [&app](Request& request, const Principal& who) { return restart(app, request, who); });
  add("GET", one + "/revisions", "list_endpoint_revisions", Need::kReader,
      [&app](Request& request, const Principal&) { return revisions(app, request); });
}

}  // namespace roost
