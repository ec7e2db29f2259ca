#include "execute/heartbeat.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "execute/attempts.h"
#include "records/alert_records.h"
#include "records/attempt_records.h"
#include "records/run_records.h"

namespace roost {
namespace {

bool all_heard(const ExecuteParts& execute, const std::vector<AttemptPart>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const AttemptPart& part) {
    return part.is_over() ||
           execute.nodes.silence(part.node) <= static_cast<Micros>(execute.settings.node_silent_seconds * kSecond);
  });
}

bool all_idle(const ExecuteParts& execute, const std::vector<AttemptPart>& parts) {
  const double limit = execute.settings.hang_seconds;
  return limit > 0 && std::all_of(parts.begin(), parts.end(), [&](const AttemptPart& part) {
    return part.is_over() || execute.nodes.idle_seconds(part.node) >= limit;
  });
}

// Once for a run: nothing is ended, because only its owner knows whether it waits for good.
Status flag_as_hanging(const ExecuteParts& execute, Tx& tx, Run& run) {
  const std::string notice =
      fmt::format("it seems to hang: no output and no metric for {}, and every rank used no CPU or always stood at the same "
                  "place in its code; 'roost stacks {}' shows where its processes are, 'roost cancel {}' ends it",
                  human_duration(execute.settings.hang_seconds), run.id, run.id);
  for (const auto& known : run.notices) {
    if (known == notice) return {};
  }
  log_warning("run {}: {}", run.id, notice);
  ROOST_CHECK(raise_alert(tx, run, {AlertEvent::kHang}, notice, execute.clock.now()));
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

}  // namespace

Result<Heartbeat> parse_heartbeat(const Json& body) {
  JsonFields fields(body, "the heartbeat");
  Heartbeat heartbeat;
  heartbeat.run = fields.string("run");
  heartbeat.attempt = fields.integer("attempt", 0, 0, 1'000'000);
  heartbeat.usage = fields.object("usage");
  heartbeat.idle_seconds = json_number(member(body, "idle_seconds")).value_or(0);
  fields.has("idle_seconds");
  heartbeat.names_parts = body.is_object() && body.contains("parts");
  const Json named = fields.array("parts");
  ROOST_CHECK(fields.done());
  ROOST_TRY(heartbeat.parts, parse_parts(named));
  return heartbeat;
}

Result<bool> take_heartbeat(const ExecuteParts& execute, const std::string& node, Heartbeat heartbeat,
                            const KeepSample& keep_sample) {
  const Micros now = execute.clock.now();
  execute.nodes.heard(node);
  if (heartbeat.names_parts) execute.nodes.has(node, std::move(heartbeat.parts));
  if (heartbeat.run.empty()) return false;
  bool fenced = false;
  bool back = false;
  ROOST_CHECK(execute.db.write([&](Tx& tx) -> Status {
    auto found = find_run(tx, heartbeat.run);
    if (!found && found.error().code == ErrorCode::kNotFound) {
      fenced = true;
      return {};
    }
    ROOST_TRY(Run run, std::move(found));
    ROOST_TRY(const auto parts, attempt_parts(tx, run.seq, heartbeat.attempt));
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const AttemptPart& p) { return p.node == node; });
    const auto open = check_attempt_open(tx, run, heartbeat.attempt);
    if (!open || part == parts.end() || part->is_over()) {
      // A part that ended normally is still mentioned until the runner has cleaned up.
      fenced = part == parts.end() || part->state != PartState::kFinished;
      return {};
    }
    back = run.status == RunStatus::kNotResponding && all_heard(execute, parts);
    if (back) ROOST_CHECK(mark_heard(tx, run, now));
    execute.nodes.idle(node, heartbeat.idle_seconds);
    if (run.status == RunStatus::kRunning && all_idle(execute, parts)) ROOST_CHECK(flag_as_hanging(execute, tx, run));
    if (!heartbeat.usage.empty()) ROOST_CHECK(keep_sample(tx, run.seq, node, now, heartbeat.usage));
    return {};
  }));
  if (back) execute.changes.run_changed(heartbeat.run);
  return fenced;
}

}  // namespace roost
