#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "domain/rank_plan.h"
#include "execute/attempts.h"
#include "finalize/finish_run.h"
#include "observe/system_samples.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

constexpr Micros kPingEvery = 5 * kSecond;
constexpr std::int64_t kMostOutputs = 1'000'000;
constexpr int kStopGrace = 5;  // seconds for the other processes of a run, once one has failed

// What a node is to do, as it becomes due. Always worked out from the records, so that a runner that
// connects again is told everything that is still open; it knows by itself what it has already done.
class OrderStream final : public ResponseStream {
 public:
  OrderStream(App& app, std::string node) : app_(app), node_(std::move(node)) {}

  void set_wake(std::function<void()> wake) override {
    subscription_ = app_.changes.hub().subscribe("node/" + node_, std::move(wake));
  }

  Step next(std::string& piece) override {
    const Micros now = app_.clock.now();
    if (last_sent_ == 0) {
      add(piece, {{"type", "hello"},
                  {"heartbeat_seconds", app_.config.heartbeat_seconds},
                  {"grace_seconds", app_.config.cancel_grace_seconds}});
    }
    bool gone = false;
    const Status looked = app_.db->read([&](Tx& tx) -> Status {
      const auto node = find_node(tx, node_);
      if (!node) {
        gone = node.error().code == ErrorCode::kNotFound;
        return fail(node.error());
      }
      ROOST_TRY(const auto parts, open_parts(tx, node_));
      const bool leaves = node->state == NodeState::kLeaving ||
                          (node->state == NodeState::kPreempted && parts.empty());
      if (leaves && !std::exchange(left_, true)) add(piece, {{"type", "leave"}});
      for (const auto& part : parts) ROOST_CHECK(add_orders(tx, part, now, piece));
      for (const auto& asked : app_.stacks.asked_of(node_)) {
        if (!asked_.insert(asked.id).second) continue;
        add(piece, {{"type", "stacks"}, {"run", asked.run}, {"attempt", asked.attempt}, {"id", asked.id}});
      }
      return {};
    });
    if (gone) return Step::kEnd;
    if (!looked) return Step::kWait;
    if (piece.empty() && app_.clock.steady() - last_sent_ > kPingEvery) add(piece, {{"type", "ping"}});
    return piece.empty() ? Step::kWait : Step::kData;
  }

 private:
  // What the node has not been told yet of its part of an attempt.
  Status add_orders(Tx& tx, const AttemptPart& part, Micros now, std::string& piece) {
    ROOST_TRY(const Run run, run_by_row(tx, part.run));
    ROOST_TRY(const auto attempt, open_attempt(tx, part.run));
    Told& told = told_[{part.run, part.attempt}];
    const auto order = [&](const char* type) {
      return Json{{"type", type}, {"run", run.id}, {"attempt", part.attempt}};
    };
    if (!std::exchange(told.start, true)) {
      ROOST_TRY(Json work, make_order(tx, run, part.node_rank,
                                      app_.access->attempt_token(run.id, part.attempt), now));
      // A node on another machine may see it too, over a shared disk.
      work["hidden"] = app_.config.data.string();
      work["hang_seconds"] = app_.config.hang_seconds;
      work["user"] = run.workspace + "/" + run.created_by;
      if (part.attempt > 1) {
        // What an earlier attempt left, its checkpoints above all.
        ROOST_TRY(const auto left, list_artifacts(tx, run.seq, "outputs/", "", kMostOutputs));
        for (const auto& file : left) {
          work["outputs"].push_back({{"path", file.path}, {"digest", file.digest}, {"size", file.size}});
        }
      }
      for (const auto& [name, value] : app_.config.variables) {
        if (!work["variables"].contains(name)) work["variables"][name] = value;
      }
      add(piece, {{"type", "start"}, {"order", work}});
    }
    if (!told.go && part.facts.is_object()) {
      ROOST_TRY(const auto parts, attempt_parts(tx, part.run, part.attempt));
      if (Json nodes = facts_of_all(parts); !nodes.is_null()) {
        told.go = true;
        Json line = order("go");
        line["nodes"] = std::move(nodes);
        add(piece, line);
      }
    }
    if (part.command.is_object() && !part.command.contains("exit_code") && !std::exchange(told.exec, true)) {
      Json line = order("exec");
      line["command"] = text_at(part.command, "text");
      add(piece, line);
    }
    if (part.node_rank == 0 && gang_of_spec(run.spec).kind == Gang::Kind::kMpi) {
      ROOST_TRY(const auto parts, attempt_parts(tx, part.run, part.attempt));
      for (const auto& other : parts) {
        if (!other.command.is_object() || !other.command.contains("exit_code")) continue;
        if (!told.ended.insert(other.node).second) continue;
        Json line = order("command_ended");
        line["node"] = other.node;
        line["exit_code"] = other.command["exit_code"];
        add(piece, line);
      }
    }
    const bool preempted = attempt && attempt->preempted;
    if (attempt && attempt->stopping && !preempted && !std::exchange(told.stop, true)) {
      Json line = order("stop");
      line["grace_seconds"] = kStopGrace;
      add(piece, line);
    }
    if ((run.status == RunStatus::kCancelRequested || preempted) && !std::exchange(told.cancel, true)) {
      Json line = order("cancel");
      line["grace_seconds"] = app_.config.cancel_grace_seconds;
      add(piece, line);
    }
    return {};
  }

  void add(std::string& piece, const Json& line) {
    piece += to_text(line);
    piece += '\n';
    last_sent_ = app_.clock.steady();
  }

  App& app_;
  const std::string node_;
  struct Told {
    bool start = false;
    bool go = false;
    bool exec = false;
    std::set<std::string> ended;  // nodes whose command ended
    bool stop = false;
    bool cancel = false;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Told> told_;  // by run and attempt
  std::set<std::string> asked_;  // for stacks
  bool left_ = false;            // told to leave
  Micros last_sent_ = 0;
  ChangeHub::Subscription subscription_;
};

Result<Response> stream_orders(App& app, Request& request) {
  const std::string node_id = request.parameters["node"];
  ROOST_TRY(const auto pid, integer_query(request, "pid", 0, 0, INT32_MAX));
  Node known;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(known, find_node(tx, node_id));
    return {};
  }));
  const bool adopted = known.pid == 0 && known.allocation.empty() && app.provider->adopt_node(known, pid);
  bool came_up = false;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Node node, find_node(tx, node_id));
    if (adopted && node.pid == 0) {
      node.pid = known.pid;
      node.pid_started = known.pid_started;
      ROOST_CHECK(save_node(tx, node));
    }
    if (node.state != NodeState::kPreparing) return {};
    node.enter(NodeState::kIdle, app.clock.now());
    came_up = true;
    return save_node(tx, node);
  }));
  app.nodes.heard(node_id);
  if (came_up) app.wake.notify();
  Response response;
  response.content_type = "application/x-ndjson";
  response.stream = std::make_unique<OrderStream>(app, node_id);
  return response;
}

bool all_heard(App& app, const std::vector<AttemptPart>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const AttemptPart& part) {
    return part.is_over() || app.nodes.silence(part.node) <=
                                 static_cast<Micros>(app.config.node_silent_seconds * kSecond);
  });
}

bool all_idle(App& app, const std::vector<AttemptPart>& parts) {
  return app.config.hang_seconds > 0 && std::all_of(parts.begin(), parts.end(), [&](const AttemptPart& part) {
    return part.is_over() || app.nodes.idle_seconds(part.node) >= app.config.hang_seconds;
  });
}

// Once for a run: nothing is ended, because only its owner knows whether it waits for good.
Status flag_as_hanging(App& app, Tx& tx, Run& run) {
  const std::string notice =
      fmt::format("it seems to hang: no output and no metric for {}, and every rank used no CPU or always stood at the same "
                  "place in its code; 'roost stacks {}' shows where its processes are, 'roost cancel {}' ends it",
                  human_duration(app.config.hang_seconds), run.id, run.id);
  for (const auto& known : run.notices) {
    if (known == notice) return {};
  }
  log_warning("run {}: {}", run.id, notice);
  return add_notice(tx, run, notice);
}

// Which parts of attempts the node has.
Result<std::set<PartName>> parse_parts(const Json& named) {
  std::set<PartName> parts;
  for (const auto& item : named) {
    JsonFields fields(item, "a part");
    const std::string run = fields.required_string("run");
    const auto attempt = fields.integer("attempt", 0, 0, 1'000'000);
    const auto node_rank = fields.integer("node_rank", 0, 0, INT32_MAX);
    ROOST_CHECK(fields.done());
    parts.emplace(run, attempt, static_cast<int>(node_rank));
  }
  return parts;
}

Result<Response> heartbeat(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the heartbeat");
  const std::string run_id = fields.string("run");
  const auto attempt = fields.integer("attempt", 0, 0, 1'000'000);
  const Json usage = fields.object("usage");
  const double idle = json_number(member(body, "idle_seconds")).value_or(0);
  fields.has("idle_seconds");
  const bool names_parts = body.is_object() && body.contains("parts");
  const Json named = fields.array("parts");
  ROOST_CHECK(fields.done());
  ROOST_TRY(auto parts_there, parse_parts(named));
  const std::string node = request.parameters["node"];
  const Micros now = app.clock.now();
  app.nodes.heard(node);
  if (names_parts) app.nodes.has(node, std::move(parts_there));
  bool fenced = false;
  if (!run_id.empty()) {
    bool back = false;
    ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
      auto found = find_run(tx, run_id);
      if (!found && found.error().code == ErrorCode::kNotFound) {
        fenced = true;
        return {};
      }
      ROOST_TRY(Run run, std::move(found));
      ROOST_TRY(const auto parts, attempt_parts(tx, run.seq, attempt));
      const auto part = std::find_if(parts.begin(), parts.end(), [&](const AttemptPart& p) { return p.node == node; });
      const auto open = check_attempt_open(tx, run, attempt);
      if (!open || part == parts.end() || part->is_over()) {
        // A part that ended normally is still mentioned until the runner has cleaned up.
        fenced = part == parts.end() || part->state != PartState::kFinished;
        return {};
      }
      back = run.status == RunStatus::kNotResponding && all_heard(app, parts);
      if (back) ROOST_CHECK(mark_heard(tx, run, now));
      app.nodes.idle(node, idle);
      if (run.status == RunStatus::kRunning && all_idle(app, parts)) ROOST_CHECK(flag_as_hanging(app, tx, run));
      if (!usage.empty()) ROOST_CHECK(insert_system_sample(tx, run.seq, node, now, usage));
      return {};
    }));
    if (back) app.changes.run_changed(run_id);
  }
  return json_response({{"fenced", fenced}});
}

}  // namespace

void add_node_routes(Router& router, App& app) {
  add_operation(router, app, "GET", "/api/v1/nodes/{node}/orders", "stream_orders", Need::kNode,
                [&app](Request& request, const Principal&) { return stream_orders(app, request); });
  add_operation(router, app, "POST", "/api/v1/nodes/{node}/heartbeat", "send_heartbeat", Need::kNode,
                [&app](Request& request, const Principal&) { return heartbeat(app, request); });
}

}  // namespace roost
