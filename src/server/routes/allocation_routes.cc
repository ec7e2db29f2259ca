#include <fmt/format.h>

#include "base/text.h"
#include "compute/slurm/join_job.h"
#include "prepare/environment_pack.h"
#include "server/routes/blob_bytes.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Result<Response> join(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the node");
  JobRunner runner;
  runner.allocation = request.parameters["allocation"];
  runner.index = fields.integer("index", -1, -1, 10'000'000);
  runner.rank = fields.integer("rank", 0, 0, 100'000);
  runner.host = fields.required_string("host");
  ROOST_CHECK(fields.done());
  ROOST_TRY(const Node node, join_job(*app.db, *app.access, app.nodes, app.clock, runner));
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
