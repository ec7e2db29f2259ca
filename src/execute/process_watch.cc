#include "execute/process_watch.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/report_error.h"
#include "base/text.h"
#include "execute/attempts.h"
#include "records/run_records.h"

namespace roost {
namespace {

constexpr double kMostBetweenHeartbeats = 15;

// Processes are heard of as nodes are; no node has a name with '/'.
std::string heard_name(const std::string& run) { return "process/" + run; }

Micros micros(double seconds) { return static_cast<Micros>(seconds * kSecond); }

Status fail_as_crashed(Tx& tx, Run& run, Micros silent, Micros now) {
  run.error = {{"code", "crashed"},
               {"message", fmt::format("crashed: its process has not been heard of for {}",
                                       human_duration(static_cast<double>(silent) / kSecond))},
               {"last_lines", Json::array()},
               {"node", nullptr}};
  return end_interactive(tx, run, RunStatus::kFailed, run.error["message"], now);
}

}  // namespace

double process_heartbeat_seconds(const ExecuteSettings& settings) {
  return std::min(kMostBetweenHeartbeats, settings.process_silent_seconds / 4);
}

Status hear_process(const ExecuteParts& execute, Run& run) {
  if (is_terminal(run.status)) return {};
  execute.nodes.heard(heard_name(run.id));
  bool expected = false;
  ROOST_CHECK(execute.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(expected, is_process_expected(tx, run.seq));
    return {};
  }));
  if (expected && run.status != RunStatus::kNotResponding) return {};
  ROOST_CHECK(execute.db.write([&](Tx& tx) -> Status {
    ROOST_TRY(run, run_by_row(tx, run.seq));
    if (is_terminal(run.status)) return {};
    ROOST_CHECK(expect_process(tx, run.seq));
    if (run.status != RunStatus::kNotResponding) return {};
    return move_run(tx, run, RunStatus::kRunning, "its process answers again", execute.clock.now());
  }));
  execute.changes.run_changed(run.id);
  return {};
}

void ProcessWatch::watch() {
  std::vector<ExpectedProcess> processes;
  report_error(execute_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(processes, expected_processes(tx));
    return {};
  }), "reading the processes of interactive runs");
  for (const auto& process : processes) look_after(process);
}

void ProcessWatch::look_after(const ExpectedProcess& process) {
  const std::string name = heard_name(process.run_id);
  const Micros silent = execute_.nodes.silence(name);
  const bool has_ended = is_terminal(process.status);
  const bool is_lost = silent > micros(execute_.settings.process_lost_seconds);
  const bool is_silent =
      silent > micros(execute_.settings.process_silent_seconds) && process.status == RunStatus::kRunning;
  if (!has_ended && !is_lost && !is_silent) return;
  const Micros now = execute_.clock.now();
  const Status written = execute_.db.write([&](Tx& tx) -> Status {
    ROOST_TRY(Run run, run_by_row(tx, process.run));
    if (is_terminal(run.status)) return forget_process(tx, run.seq);
    if (!is_lost) return mark_silent(tx, run, "its process does not answer", now);
    ROOST_CHECK(forget_process(tx, run.seq));
    return fail_as_crashed(tx, run, silent, now);
  });
  report_error(written, "watching the processes of interactive runs");
  if (!written) return;
  if (has_ended || is_lost) execute_.nodes.forget(name);
  if (!has_ended) execute_.changes.run_changed(process.run_id);
}

}  // namespace roost
