#include <fmt/format.h>

#include "base/text.h"
#include "domain/slurm_options.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "records/workspace_records.h"
#include "schedule/plan.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Result<Json> describe(App& app, Tx& tx, const Compute& compute) {
  ComputeView view;
  view.compute = compute;
  ROOST_TRY(view.nodes, list_nodes(tx, compute.workspace, compute.name));
  ROOST_TRY(view.waiting, waiting_runs(tx, compute.workspace, compute.name, compute.max_nodes));
  return compute_json(compute, view.nodes, target_nodes(view), app.machine);
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
  app.wake_control_loop();
  return json_response(answer, status);
}

Result<Compute> mark_deleting(App& app, Tx& tx, Request& request) {
  ROOST_TRY(Compute compute,
            find_compute(tx, request.parameters["workspace"], request.parameters["compute"]));
  ROOST_TRY(const auto waiting, count_waiting(tx, compute.workspace, compute.name, compute.max_nodes));
  ROOST_TRY(const auto nodes, list_nodes(tx, compute.workspace, compute.name));
  std::int64_t running = 0;
  for (const auto& node : nodes) running += node.state == NodeState::kRunning ? 1 : 0;
  if (waiting + running > 0) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} runs use the compute {}; cancel them or wait until they end",
                            waiting + running, compute.name));
  }
  compute.deleting = true;
  compute.modified = app.clock.now();
  if (nodes.empty()) {
    ROOST_CHECK(remove_compute(tx, compute));
  } else {
    ROOST_CHECK(save_compute(tx, compute));
  }
  return compute;
}

// What the operator set for this VM size; null if its nodes are to be local.
Json slurm_for_size(const ServerConfig::Slurm& config, const std::string& vm_size) {
  for (const auto& name : {lower(vm_size), std::string("*")}) {
    if (const auto known = config.sizes.find(name); known != config.sizes.end()) return known->second;
  }
  return nullptr;
}

// Before a compute is made: whether Slurm would take a job of one node with its options. A Slurm that does
// not answer is no reason to refuse: runs wait for it.
Status check_slurm(App& app, const Compute& compute) {
  ROOST_TRY(const SlurmOptions options, parse_slurm_options(compute.slurm, "the compute"));
  const Status taken = app.slurm->check(options, 1);
  if (taken || taken.error().code != ErrorCode::kInvalidArgument) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("Slurm would refuse the runs of {}: {}", compute.name, taken.error().message));
}

Json node_json(App& app, const Node& node, const std::optional<std::string>& run) {
  return {{"id", node.id},
          {"compute", node.compute},
          {"state", node_state_name(node.state)},
          {"pid", node.pid},
          {"run", run ? Json(*run) : Json()},
          {"started_at", format_time(node.started)},
          {"last_seen_at", format_time(app.nodes.last_heard(node.id, app.clock.now()))}};
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
                  if (!compute.is_slurm()) compute.slurm = slurm_for_size(app.config.slurm, compute.vm_size);
                  if (compute.is_slurm()) ROOST_CHECK(check_slurm(app, compute));
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
