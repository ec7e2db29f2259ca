#include <fmt/format.h>

#include "records/attempt_records.h"
#include "records/run_records.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

constexpr double kSecondsToAnswer = 8;

// Where every process of a run is: asks its nodes and waits for them.
Result<Response> take_stacks(App& app, Request& request, const Principal& who) {
  Run run;
  std::vector<std::string> nodes;
  std::vector<std::pair<int, std::string>> order;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(run, request_run(tx, request, who));
    ROOST_TRY(const auto parts, attempt_parts(tx, run.seq, run.attempt));
    for (const auto& part : parts) {
      if (part.state == PartState::kStarted) nodes.push_back(part.node);
    }
    return {};
  }));
  if (is_terminal(run.status) || nodes.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("run {} is {}: it has no processes to look at", run.id, status_name(run.status)));
  }
  const std::string id = app.stacks.ask(run.id, run.attempt, nodes);
  for (const auto& node : nodes) app.node_changed(node);
  const StackRequests::Answer answer = app.stacks.wait(id, kSecondsToAnswer);
  Json items = Json::array();
  for (const auto& node : nodes) {
    if (!answer.nodes.contains(node)) continue;
    for (Json process : answer.nodes[node]) {
      process["node"] = node;
      items.push_back(std::move(process));
    }
  }
  return json_response({{"run", run.id}, {"items", std::move(items)}, {"missing_nodes", answer.missing}});
}

Result<Response> send_stacks(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the stacks");
  const std::string id = fields.required_string("id");
  fields.string("run");
  const Json processes = fields.array("processes");
  ROOST_CHECK(fields.done());
  app.stacks.answer(id, request.parameters["node"], processes);
  return json_response({{"taken", true}});
}

}  // namespace

void add_stack_routes(Router& router, App& app) {
  add_operation(router, app, "POST", "/api/v1/runs/{run}/stacks", "take_stacks", Need::kContributorOrRun,
                [&app](Request& request, const Principal& who) { return take_stacks(app, request, who); });
  add_operation(router, app, "POST", "/api/v1/nodes/{node}/stacks", "send_stacks", Need::kNode,
                [&app](Request& request, const Principal&) { return send_stacks(app, request); }, {64 << 20, false});
}

}  // namespace roost
