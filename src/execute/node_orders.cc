#include "execute/node_orders.h"

#include "domain/rank_plan.h"
#include "execute/attempts.h"
#include "execute/run_secrets.h"
#include "records/artifact_records.h"
#include "records/compute_records.h"
#include "records/run_records.h"

namespace roost {
namespace {

constexpr Micros kPingEvery = 5 * kSecond;
constexpr std::int64_t kMostOutputs = 1'000'000;
constexpr int kStopGrace = 5;  // seconds for the other processes of a run, once one has failed

}  // namespace

Status node_came(const ExecuteParts& execute, const std::string& node_id, std::int64_t pid) {
  Node known;
  ROOST_CHECK(execute.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(known, find_node(tx, node_id));
    return {};
  }));
  const bool adopted = known.pid == 0 && execute.handles.adopt(known, pid);
  bool came_up = false;
  ROOST_CHECK(execute.db.write([&](Tx& tx) -> Status {
    ROOST_TRY(Node node, find_node(tx, node_id));
    if (adopted && node.pid == 0) {
      node.pid = known.pid;
      node.pid_started = known.pid_started;
      ROOST_CHECK(save_node(tx, node));
    }
    if (node.state != NodeState::kPreparing) return {};
    node.enter(NodeState::kIdle, execute.clock.now());
    came_up = true;
    return save_node(tx, node);
  }));
  execute.nodes.heard(node_id);
  if (came_up) execute.wake.notify();
  return {};
}

NodeOrders::News NodeOrders::next(std::string& lines) {
  const Micros now = execute_.clock.now();
  if (last_sent_ == 0) {
    add(lines, {{"type", "hello"},
                {"heartbeat_seconds", execute_.settings.heartbeat_seconds},
                {"grace_seconds", execute_.settings.cancel_grace_seconds}});
  }
  bool gone = false;
  const Status looked = execute_.db.read([&](Tx& tx) -> Status {
    const auto node = find_node(tx, node_);
    if (!node) {
      gone = node.error().code == ErrorCode::kNotFound;
      return fail(node.error());
    }
    ROOST_TRY(const auto parts, open_parts(tx, node_));
    const bool leaves = node->state == NodeState::kLeaving ||
                        (node->state == NodeState::kPreempted && parts.empty());
    if (leaves && !std::exchange(left_, true)) add(lines, {{"type", "leave"}});
    for (const auto& part : parts) ROOST_CHECK(add_orders(tx, part, now, lines));
    for (const auto& asked : execute_.stacks.asked_of(node_)) {
      if (!asked_.insert(asked.id).second) continue;
      add(lines, {{"type", "stacks"}, {"run", asked.run}, {"attempt", asked.attempt}, {"id", asked.id}});
    }
    for (const auto& asked : execute_.shells.asked_of(node_)) {
      if (!sessions_.insert(asked.id).second) continue;
      Json line = asked.order;
      line.update({{"type", "session"}, {"run", asked.run}, {"attempt", asked.attempt}, {"id", asked.id}});
      add(lines, line);
    }
    return {};
  });
  if (gone) return News::kGone;
  if (!looked) return News::kNothing;
  if (lines.empty() && execute_.clock.steady() - last_sent_ > kPingEvery) add(lines, {{"type", "ping"}});
  return lines.empty() ? News::kNothing : News::kOrders;
}

Status NodeOrders::add_orders(Tx& tx, const AttemptPart& part, Micros now, std::string& lines) {
  ROOST_TRY(const Run run, run_by_row(tx, part.run));
  ROOST_TRY(const auto attempt, open_attempt(tx, part.run));
  Told& told = told_[{part.run, part.attempt}];
  const auto order = [&](const char* type) {
    return Json{{"type", type}, {"run", run.id}, {"attempt", part.attempt}};
  };
  if (!std::exchange(told.start, true)) {
    ROOST_TRY(Json work, make_order(tx, run, part.node_rank,
                                    execute_.access.attempt_token(run.id, part.attempt), now));
    // A node on another machine may see it too, over a shared disk.
    work["hidden"] = execute_.settings.hidden;
    work["hang_seconds"] = run.type == kReplicaType ? 0 : execute_.settings.hang_seconds;  // it may have nothing to do
    work["user"] = run.workspace + "/" + run.created_by;
    if (part.attempt > 1 || run.properties.contains(kGoesOnFrom)) {
      // What an earlier attempt left, or the run that it goes on from: its checkpoints above all.
      ROOST_TRY(const auto left, list_artifacts(tx, run.seq, "outputs/", "", kMostOutputs));
      for (const auto& file : left) {
        work["outputs"].push_back({{"path", file.path}, {"digest", file.digest}, {"size", file.size}});
      }
    }
    for (const auto& [name, value] : execute_.settings.variables) {
      if (!work["variables"].contains(name)) work["variables"][name] = value;
    }
    ROOST_CHECK(add_secrets(tx, execute_.sealer, run, work));
    add(lines, {{"type", "start"}, {"order", work}});
  }
  if (!told.go && part.facts.is_object()) {
    ROOST_TRY(const auto parts, attempt_parts(tx, part.run, part.attempt));
    if (Json nodes = facts_of_all(parts); !nodes.is_null()) {
      told.go = true;
      Json line = order("go");
      line["nodes"] = std::move(nodes);
      add(lines, line);
    }
  }
  if (part.command.is_object() && !part.command.contains("exit_code") && !std::exchange(told.exec, true)) {
    Json line = order("exec");
    line["command"] = text_at(part.command, "text");
    add(lines, line);
  }
  if (part.node_rank == 0 && gang_of_spec(run.spec).kind == Gang::Kind::kMpi) {
    ROOST_TRY(const auto parts, attempt_parts(tx, part.run, part.attempt));
    for (const auto& other : parts) {
      if (!other.command.is_object() || !other.command.contains("exit_code")) continue;
      if (!told.ended.insert(other.node).second) continue;
      Json line = order("command_ended");
      line["node"] = other.node;
      line["exit_code"] = other.command["exit_code"];
      add(lines, line);
    }
  }
  const bool preempted = attempt && attempt->preempted;
  if (attempt && attempt->stopping && !preempted && !std::exchange(told.stop, true)) {
    Json line = order("stop");
    line["grace_seconds"] = kStopGrace;
    add(lines, line);
  }
  if ((run.status == RunStatus::kCancelRequested || preempted) && !std::exchange(told.cancel, true)) {
    Json line = order("cancel");
    line["grace_seconds"] = execute_.settings.cancel_grace_seconds;
    add(lines, line);
  }
  return {};
}

void NodeOrders::add(std::string& lines, const Json& line) {
  lines += to_text(line);
  lines += '\n';
  last_sent_ = execute_.clock.steady();
}

}  // namespace roost
