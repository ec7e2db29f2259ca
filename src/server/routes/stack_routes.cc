#include <fmt/format.h>

#include "records/attempt_records.h"
#include "records/run_records.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

constexpr Micros kTimeToAnswer = 8 * kSecond;

// The answer of a run's nodes, once all have answered or the time is over. Holds no thread while it waits.
class StacksAnswer final : public ResponseStream {
 public:
  StacksAnswer(App& app, std::string run, std::vector<std::string> nodes, std::string id)
      : app_(app), run_(std::move(run)), nodes_(std::move(nodes)), id_(std::move(id)) {}
  ~StacksAnswer() override { app_.stacks.leave(id_); }

  void set_wake(std::function<void()> wake) override {
    subscription_ = app_.changes.hub().subscribe("stacks/" + id_, std::move(wake));
  }

  Step next(std::string& piece) override {
    if (answered_) return Step::kEnd;
    const Micros left = until_ - app_.clock.steady();
    if (left > 0 && !app_.stacks.is_complete(id_)) {
      max_wait_ms = static_cast<int>((left + 999) / 1000);
      return Step::kWait;
    }
    answered_ = true;
    piece = to_text(answer());
    return Step::kData;
  }

 private:
  Json answer() const {
    StackRequests::Answer answer = app_.stacks.so_far(id_);
    Json items = Json::array();
    for (const auto& node : nodes_) {
      if (!answer.nodes.contains(node)) continue;
      for (Json& process : answer.nodes[node]) {
        process["node"] = node;
        items.push_back(std::move(process));
      }
    }
    return {{"run", run_}, {"items", std::move(items)}, {"missing_nodes", answer.missing}};
  }

  App& app_;
  const std::string run_;
  const std::vector<std::string> nodes_;
  const std::string id_;
  const Micros until_ = app_.clock.steady() + kTimeToAnswer;
  bool answered_ = false;
  ChangeHub::Subscription subscription_;
};

// Where every process of a run is: asks its nodes and waits for them.
Result<Response> take_stacks(App& app, Request& request, const Principal& who) {
  Run run;
  std::vector<std::string> nodes;
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
  std::string id = app.stacks.ask(run.id, run.attempt, nodes);
  Response response;
  response.stream = std::make_unique<StacksAnswer>(app, run.id, nodes, std::move(id));
  for (const auto& node : nodes) app.changes.node_changed(node);
  return response;
}

Result<Response> send_stacks(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the stacks");
  const std::string id = fields.required_string("id");
  fields.string("run");
  const Json processes = fields.array("processes");
  ROOST_CHECK(fields.done());
  for (const auto& process : processes) {
    if (!process.is_object()) return fail(ErrorCode::kInvalidArgument, "\"processes\" must be a list of objects");
  }
  if (app.stacks.answer(id, request.parameters["node"], processes)) app.changes.hub().publish("stacks/" + id);
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
