#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "execute/preempt_by_hand.h"
#include "records/compute_records.h"
#include "records/queue_records.h"
#include "records/run_records.h"
#include "records/workspace_records.h"
#include "schedule/plan.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Result<Json> describe(App& app, Tx& tx, const Compute& compute) {
  ROOST_TRY(auto nodes, list_nodes(tx, compute.workspace, compute.name));
  const ComputeEngine& engine = app.engines->of(compute);
  ROOST_CHECK(engine.add_coming(tx, compute, nodes));
  ROOST_TRY(const auto wanted, nodes_wanted(tx, compute.workspace, compute.name, compute.max_nodes));
  return compute_json(compute, nodes, target_nodes(compute, nodes, wanted), engine.share_of(compute));
}

Result<Response> change(App& app, Request& request, int status,
                        const std::function<Result<Compute>(Tx&)>& work) {
  Json answer;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(const Compute compute, work(tx));
    ROOST_TRY(answer, describe(app, tx, compute));
    return {};
  }));
  app.wake.notify();
  return json_response(answer, status);
}

Result<Compute> mark_deleting(App& app, Tx& tx, Request& request) {
  ROOST_TRY(Compute compute,
            find_compute(tx, request.parameters["workspace"], request.parameters["compute"]));
  ROOST_TRY(const bool drain, flag_query(request, "drain"));
  ROOST_TRY(const auto active, count_active(tx, compute.workspace, compute.name));
  ROOST_TRY(const auto nodes, list_nodes(tx, compute.workspace, compute.name));
  compute.modified = app.clock.now();
  if (active > 0 && drain) {
    compute.draining = true;
    ROOST_CHECK(save_compute(tx, compute));
    return compute;
  }
  if (active > 0) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} run{} the compute {}; cancel them or wait until they end, or drain it "
                            "('roost compute rm {} --drain'): it takes no new runs then, and goes after the last",
                            active, active == 1 ? " uses" : "s use", compute.name, compute.name));
  }
  compute.deleting = true;
  if (nodes.empty()) {
    ROOST_CHECK(remove_compute(tx, compute));
  } else {
    ROOST_CHECK(save_compute(tx, compute));
  }
  return compute;
}

Result<Response> preempt_nodes(App& app, Request& request) {
  Json body = Json::object();
  if (!request.body.empty()) {
    ROOST_TRY(body, json_body(request));
  }
  JsonFields fields(body, "the request");
  const std::string wanted = fields.string("node");
  ROOST_CHECK(fields.done());
  ROOST_TRY(const Preempted preempted,
            preempt_by_hand(*app.execute, request.parameters["workspace"], request.parameters["compute"], wanted));
  return json_response({{"nodes", preempted.nodes}, {"runs", preempted.runs}}, 202);
}

Json node_json(App& app, const Node& node, const std::optional<std::string>& run) {
  return {{"id", node.id},
          {"compute", node.compute},
          {"state", node_state_name(node.state)},
          {"state_at", format_time(node.state_since > 0 ? node.state_since : node.started)},
          {"pid", node.pid},
          {"run", run ? Json(*run) : Json()},
          {"started_at", format_time(node.started)},
          {"last_seen_at", format_time(app.clock.now() - app.nodes.silence(node.id))}};
}

}  // namespace

void add_compute_routes(Router& router, App& app) {
  const std::string computes = "/api/v1/workspaces/{workspace}/computes";
  add_operation(router, app, "GET", computes, "list_computes", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  Json items = Json::array();
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
                    ROOST_TRY(const auto all, list_computes(tx, request.parameters["workspace"]));
                    for (const auto& compute : all) {
                      ROOST_TRY(Json described, describe(app, tx, compute));
                      items.push_back(std::move(described));
                    }
                    return {};
                  }));
                  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
                });
  add_operation(router, app, "POST", computes, "create_compute", Need::kContributor,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const Json body, json_body(request));
                  ROOST_TRY(Compute compute, parse_compute(body));
                  compute.workspace = request.parameters["workspace"];
                  compute.created = compute.modified = app.clock.now();
                  ROOST_CHECK(app.engines->choose(compute).check(compute));
                  return change(app, request, 201, [&](Tx& tx) -> Result<Compute> {
                    ROOST_CHECK(insert_compute(tx, compute));
                    return compute;
                  });
                });
  add_operation(router, app, "GET", computes + "/{compute}", "get_compute", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  Json answer;
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
                    ROOST_TRY(const Compute compute, find_compute(tx, request.parameters["workspace"],
                                                                  request.parameters["compute"]));
                    ROOST_TRY(answer, describe(app, tx, compute));
                    return {};
                  }));
                  return json_response(answer);
                });
  add_operation(router, app, "PATCH", computes + "/{compute}", "update_compute", Need::kContributor,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  ROOST_TRY(const Json body, json_body(request));
                  return change(app, request, 200, [&](Tx& tx) -> Result<Compute> {
                    ROOST_TRY(Compute compute, find_compute(tx, request.parameters["workspace"],
                                                            request.parameters["compute"]));
                    ROOST_CHECK(apply_compute_update(body, compute));
                    compute.modified = app.clock.now();
                    ROOST_CHECK(save_compute(tx, compute));
                    return compute;
                  });
                });
  add_operation(router, app, "DELETE", computes + "/{compute}", "delete_compute", Need::kContributor,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  return change(app, request, 202,
                                [&](Tx& tx) { return mark_deleting(app, tx, request); });
                });
  add_operation(router, app, "POST", computes + "/{compute}/preempt", "preempt_nodes", Need::kContributor,
                [&app](Request& request, const Principal&) { return preempt_nodes(app, request); });
  add_operation(router, app, "GET", computes + "/{compute}/nodes", "list_nodes", Need::kReader,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  Json items = Json::array();
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
                    ROOST_CHECK(find_compute(tx, request.parameters["workspace"],
                                             request.parameters["compute"]));
                    ROOST_TRY(const auto nodes, list_nodes(tx, request.parameters["workspace"],
                                                           request.parameters["compute"]));
                    for (const auto& node : nodes) {
                      ROOST_TRY(const auto parts, open_parts(tx, node.id));
                      std::optional<std::string> run;
                      if (!parts.empty()) {
                        ROOST_TRY(const Run at, run_by_row(tx, parts.front().run));
                        run = at.id;
                      }
                      items.push_back(node_json(app, node, run));
                    }
                    return {};
                  }));
                  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
                });
}

}  // namespace roost
