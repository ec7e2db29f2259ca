#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "domain/names.h"
#include "records/allocation_records.h"
#include "records/compute_records.h"
#include "server/environment_pack.h"
#include "server/routes/blob_bytes.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

// "n1-3fa2b1c4x7": the host, and which job it works for.
std::string node_name(const std::string& host, const Allocation& allocation) {
  std::string name = fmt::format("{}-{}", host, allocation.name.substr(allocation.name.rfind('-') + 1));
  if (allocation.index >= 0) name += fmt::format("x{}", allocation.index);
  return name;
}

bool is_host_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == std::string::npos;
}

// A runner has come up in a Slurm job and becomes a node. Asking again gives the same node.
Result<Response> join(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the node");
  const auto index = fields.integer("index", -1, -1, 10'000'000);
  const auto rank = fields.integer("rank", 0, 0, 100'000);
  const std::string host = fields.required_string("host");
  ROOST_CHECK(fields.done());
  if (!is_host_name(host)) return fail(ErrorCode::kInvalidArgument, "\"host\" is no host name: " + printable(host));
  Node node;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto allocation, find_allocation(tx, request.parameters["allocation"], index));
    if (!allocation || allocation->state == AllocationState::kEnding) {
      return fail(ErrorCode::kGivenUp, "nobody waits for this job any more");
    }
    if (rank >= allocation->nodes) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("the job has {} nodes; there is no rank {}", allocation->nodes, rank));
    }
    node.id = node_name(host, *allocation);
    if (find_node(tx, node.id)) return {};
    node.workspace = allocation->workspace;
    node.compute = allocation->compute;
    node.started = app.clock.now();
    node.slot = rank;
    node.allocation = allocation->key();
    return insert_node(tx, node, Access::hash(app.access->node_token(node.id)));
  }));
  app.nodes.heard(node.id);
  log_info("node {}: joined", node.id);
  return json_response({{"node", node.id}, {"token", app.access->node_token(node.id)}, {"data_id", app.data_id}});
}

}  // namespace

void add_allocation_routes(Router& router, App& app) {
  add_operation(router, app, "POST", "/api/v1/allocations/{allocation}/nodes", "join_allocation", Need::kAllocation,
                [&app](Request& request, const Principal&) { return join(app, request); });
  add_operation(router, app, "GET", "/api/v1/program", "get_program", Need::kAllocation,
                [&app](Request&, const Principal&) { return file_response(app.program); });
  add_operation(router, app, "GET", "/api/v1/environment-packs/{digest}", "get_environment_pack", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) -> Result<Response> {
                  const auto known = app.environments->find(request.parameters["digest"], app.clock.now());
                  if (!known) {
                    return fail(ErrorCode::kNotFound, fmt::format("there is no environment {} on this server",
                                                                  printable(request.parameters["digest"])));
                  }
                  ROOST_TRY(const std::string pack, environment_pack(*known));
                  return file_response(pack);
                });
}

}  // namespace roost
