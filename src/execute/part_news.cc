#include "execute/part_news.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "execute/attempts.h"
#include "records/lease_records.h"

namespace roost {
namespace {

// Runs `work` on the run, if its attempt is still open.
Result<Run> in_attempt(const ExecuteParts& execute, const AttemptName& attempt,
                       const std::function<Status(Tx&, Run&)>& work) {
  Run run;
  ROOST_CHECK(execute.db.write([&](Tx& tx) -> Status {
    ROOST_TRY(run, find_open_run(tx, attempt));
    return work(tx, run);
  }));
  return run;
}

}  // namespace

Result<Run> part_started(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, Micros ago) {
  ROOST_TRY(Run run, in_attempt(execute, attempt, [&](Tx& tx, Run& open) -> Status {
    ROOST_TRY(const Micros started, time_of_news(tx, open, ago, execute.clock.now()));
    return mark_started(tx, open, node_rank, started);
  }));
  execute.changes.run_changed(run.id);
  return run;
}

Status part_enforces(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, const Json& enforced) {
  ROOST_CHECK(in_attempt(execute, attempt, [&](Tx& tx, Run& open) -> Status {
    ROOST_CHECK(unreported_part(tx, open, node_rank));
    return note_enforced(tx, open.seq, open.attempt, node_rank, enforced);
  }));
  return {};
}

Result<Run> part_exited(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, Micros ago) {
  ROOST_TRY(Run run, in_attempt(execute, attempt, [&](Tx& tx, Run& open) -> Status {
    ROOST_TRY(const auto parts, attempt_parts(tx, open.seq, open.attempt));
    const bool last = std::all_of(parts.begin(), parts.end(), [&](const AttemptPart& part) {
      return part.node_rank == node_rank || part.is_over();
    });
    if (!last) return {};
    ROOST_TRY(const Micros exited, time_of_news(tx, open, ago, execute.clock.now()));
    return mark_exited(tx, open, exited);
  }));
  execute.changes.run_changed(run.id);
  return run;
}

Result<bool> part_ready(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, const Json& facts) {
  std::vector<std::string> nodes;
  ROOST_CHECK(in_attempt(execute, attempt, [&](Tx& tx, Run& run) -> Status {
    nodes.clear();
    ROOST_CHECK(unreported_part(tx, run, node_rank));
    ROOST_TRY(const bool all, mark_ready(tx, run, node_rank, facts));
    if (!all) return {};
    ROOST_TRY(nodes, nodes_of_run(tx, run.seq, run.attempt));
    return {};
  }));
  for (const auto& node : nodes) execute.changes.node_changed(node);
  return !nodes.empty();
}

Status part_failed(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, std::int64_t rank) {
  std::vector<std::string> nodes;
  ROOST_TRY(const Run run, in_attempt(execute, attempt, [&](Tx& tx, Run& open) -> Status {
    nodes.clear();
    ROOST_CHECK(unreported_part(tx, open, node_rank));
    ROOST_TRY(const bool first, stop_attempt(tx, open.seq, open.attempt, execute.clock.now()));
    if (!first) return {};
    ROOST_TRY(nodes, nodes_of_run(tx, open.seq, open.attempt));
    return {};
  }));
  if (!nodes.empty()) log_info("run {}: rank {} failed; ending the others", run.id, rank);
  for (const auto& node : nodes) execute.changes.node_changed(node);
  return {};
}

Status ask_for_command(const ExecuteParts& execute, const AttemptName& attempt, const std::string& node,
                       const std::string& command) {
  ROOST_CHECK(in_attempt(execute, attempt, [&](Tx& tx, Run& run) -> Status {
    ROOST_TRY(auto parts, attempt_parts(tx, run.seq, run.attempt));
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const AttemptPart& p) { return p.node == node; });
    if (part == parts.end()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("run {} has no node \"{}\" to start a command on", run.id, printable(node)));
    }
    if (part->command.is_object()) return {};  // told before
    part->command = {{"text", command}};
    return save_part(tx, *part);
  }));
  execute.changes.node_changed(node);
  return {};
}

Status command_ended(const ExecuteParts& execute, const AttemptName& attempt, int node_rank, std::int64_t exit_code) {
  std::string first;
  ROOST_CHECK(in_attempt(execute, attempt, [&](Tx& tx, Run& run) -> Status {
    ROOST_TRY(AttemptPart part, unreported_part(tx, run, node_rank));
    if (!part.command.is_object()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("nobody asked for a command on node {} of run {}", node_rank, run.id));
    }
    part.command["exit_code"] = exit_code;
    ROOST_CHECK(save_part(tx, part));
    ROOST_TRY(const auto nodes, nodes_of_run(tx, run.seq, run.attempt));
    first = nodes.empty() ? "" : nodes.front();
    return {};
  }));
  execute.changes.node_changed(first);
  return {};
}

}  // namespace roost
