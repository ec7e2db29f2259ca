#include "records/sweep_records.h"

#include <fmt/format.h>

#include "domain/run_state.h"

namespace roost {
namespace {

#define ROOST_SWEEP_COLUMNS                                                                                        \
  "run, workspace, spec_json, is_active, is_paused, is_stopping, is_used_up, max_total, max_concurrent, deadline," \
  " space_size, message, best_trial, best_value, has_told_metric"

SweepRow read_sweep(const Rows& rows) {
  SweepRow sweep;
  sweep.run = rows.integer(0);
  sweep.workspace = rows.text(1);
  sweep.spec = stored_json(rows.bytes(2));
  sweep.is_active = rows.integer(3) != 0;
  sweep.is_paused = rows.integer(4) != 0;
  sweep.is_stopping = rows.integer(5) != 0;
  sweep.is_used_up = rows.integer(6) != 0;
  sweep.max_total = rows.integer(7);
  sweep.max_concurrent = rows.maybe_integer(8);
  sweep.deadline = rows.integer(9);
  sweep.space_size = rows.maybe_integer(10);
  sweep.message = rows.text(11);
  sweep.best_trial = rows.maybe_integer(12);
  if (!rows.is_null(13)) sweep.best_value = rows.real(13);
  sweep.has_told_metric = rows.integer(14) != 0;
  return sweep;
}

Result<std::vector<SweepRow>> read_sweeps(Rows rows) {
  std::vector<SweepRow> sweeps;
  while (rows.next()) sweeps.push_back(read_sweep(rows));
  ROOST_CHECK(rows.status());
  return sweeps;
}

#define ROOST_TRIAL_COLUMNS \
  "t.number, t.parameters_json, t.origin, t.run, t.is_open, t.judged, t.verdict, t.reason, t.source, t.inherited, t.content, " \
  "t.intervals, t.best"
constexpr int kTrialColumns = 13;

std::string_view verdict_name(TrialVerdict verdict) {
  switch (verdict) {
    case TrialVerdict::kStop: return "stop";
    case TrialVerdict::kPause: return "pause";
    case TrialVerdict::kNone: break;
  }
  return "";
}

TrialVerdict verdict_from(std::string_view name) {
  return name == "stop" ? TrialVerdict::kStop : name == "pause" ? TrialVerdict::kPause : TrialVerdict::kNone;
}

std::optional<double> maybe_real(const Rows& rows, int column) {
  return rows.is_null(column) ? std::nullopt : std::optional(rows.real(column));
}

TrialRow read_trial(const Rows& rows) {
  TrialRow trial;
  trial.number = rows.integer(0);
  trial.parameters = stored_json(rows.bytes(1));
  trial.origin = rows.text(2);
  trial.run = rows.maybe_integer(3);
  trial.is_open = rows.integer(4) != 0;
  trial.judged = rows.integer(5);
  trial.verdict = verdict_from(rows.bytes(6));
  trial.reason = rows.text(7);
  trial.source = rows.text(8);
  trial.inherited = rows.integer(9);
  trial.content = rows.text(10);
  trial.intervals = rows.integer(11);
  trial.best = maybe_real(rows, 12);
  return trial;
}

}  // namespace

Status insert_sweep(Tx& tx, const SweepRow& sweep) {
  ROOST_CHECK(tx.run("INSERT INTO sweep (" ROOST_SWEEP_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", sweep.run,
                sweep.workspace, to_text(sweep.spec), sweep.is_active, sweep.is_paused, sweep.is_stopping, sweep.is_used_up,
                sweep.max_total, sweep.max_concurrent, sweep.deadline, sweep.space_size, sweep.message, sweep.best_trial,
                sweep.best_value, sweep.has_told_metric));
  return {};
}

Status save_sweep(Tx& tx, const SweepRow& sweep) {
  ROOST_CHECK(tx.run("UPDATE sweep SET is_active = ?, is_paused = ?, is_stopping = ?, is_used_up = ?, max_total = ?,"
                " max_concurrent = ?, message = ?, best_trial = ?, best_value = ?, has_told_metric = ? WHERE run = ?",
                sweep.is_active, sweep.is_paused, sweep.is_stopping, sweep.is_used_up, sweep.max_total, sweep.max_concurrent,
                sweep.message, sweep.best_trial, sweep.best_value, sweep.has_told_metric, sweep.run));
  return {};
}

Result<SweepRow> sweep_by_row(Tx& tx, std::int64_t run) {
  Rows rows = tx.query("SELECT " ROOST_SWEEP_COLUMNS " FROM sweep WHERE run = ?", run);
  if (rows.next()) return read_sweep(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound, "this run is not a sweep; 'roost sweep ls' lists the sweeps there are");
}

Result<std::vector<SweepRow>> active_sweeps(Tx& tx) {
  return read_sweeps(tx.query("SELECT " ROOST_SWEEP_COLUMNS " FROM sweep INDEXED BY sweep_active WHERE is_active = 1"
                              " ORDER BY run"));
}

Result<std::vector<SweepRow>> list_sweeps(Tx& tx, std::string_view workspace, std::int64_t limit) {
  return read_sweeps(tx.query("SELECT " ROOST_SWEEP_COLUMNS " FROM sweep WHERE workspace = ?1 AND run NOT IN"
                              " (SELECT seq FROM run INDEXED BY run_in_bin WHERE workspace = ?1 AND deleted IS NOT NULL)"
                              " ORDER BY run DESC LIMIT ?2",
                              workspace, limit));
}

Status insert_trial(Tx& tx, std::int64_t sweep, const TrialRow& trial) {
  ROOST_CHECK(tx.run("INSERT INTO sweep_trial (sweep, number, parameters_json, origin, run, is_open, judged, verdict, reason,"
                     " source, inherited, content, intervals, best) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     sweep, trial.number, to_text(trial.parameters), trial.origin, trial.run, trial.is_open, trial.judged,
                     verdict_name(trial.verdict), trial.reason, trial.source, trial.inherited, trial.content,
                     trial.intervals, trial.best));
  return {};
}

Status save_trial(Tx& tx, std::int64_t sweep, const TrialRow& trial) {
  ROOST_CHECK(tx.run("UPDATE sweep_trial SET run = ?, is_open = ?, judged = ?, verdict = ?, reason = ?,"
                     " intervals = ?, best = ? WHERE sweep = ? AND number = ?",
                     trial.run, trial.is_open, trial.judged, verdict_name(trial.verdict), trial.reason, trial.intervals,
                     trial.best, sweep, trial.number));
  return {};
}

Result<TrialRow> find_trial(Tx& tx, std::int64_t sweep, std::int64_t number) {
  Rows rows = tx.query("SELECT " ROOST_TRIAL_COLUMNS " FROM sweep_trial t WHERE t.sweep = ? AND t.number = ?", sweep, number);
  if (rows.next()) return read_trial(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound, fmt::format("the sweep has no trial {}", number));
}

Result<std::optional<TrialRow>> trial_of_run(Tx& tx, std::int64_t run) {
  Rows rows = tx.query("SELECT " ROOST_TRIAL_COLUMNS " FROM sweep_trial t WHERE t.run = ?", run);
  std::optional<TrialRow> found;
  if (rows.next()) found = read_trial(rows);
  ROOST_CHECK(rows.status());
  return found;
}

Result<std::optional<TrialRow>> best_shown_trial(Tx& tx, const SweepRow& sweep, bool largest) {
  std::optional<TrialRow> found;
  if (!sweep.best_trial) return found;
  {
    Rows rows = tx.query("SELECT " ROOST_TRIAL_COLUMNS " FROM sweep_trial t JOIN run r ON r.seq = t.run WHERE t.sweep = ?"
                         " AND r.deleted IS NULL AND t.number = ?",
                         sweep.run, *sweep.best_trial);
    if (rows.next()) found = read_trial(rows);
    ROOST_CHECK(rows.status());
  }
  if (found) return found;
  Rows rows = tx.query("SELECT " ROOST_TRIAL_COLUMNS " FROM sweep_trial t JOIN run r ON r.seq = t.run WHERE t.sweep = ?"
                       " AND r.deleted IS NULL AND t.best IS NOT NULL ORDER BY t.best * ? LIMIT 1",
                       sweep.run, largest ? -1 : 1);
  if (rows.next()) found = read_trial(rows);
  ROOST_CHECK(rows.status());
  return found;
}

Result<std::int64_t> count_trials(Tx& tx, std::int64_t sweep) {
  Rows rows = tx.query("SELECT coalesce(max(number) + 1, 0) FROM sweep_trial WHERE sweep = ?", sweep);
  std::int64_t count = 0;
  if (rows.next()) count = rows.integer(0);
  ROOST_CHECK(rows.status());
  return count;
}

Result<std::vector<TrialFacts>> list_trials(Tx& tx, const TrialFilter& filter) {
  Rows rows = tx.query(
      "SELECT " ROOST_TRIAL_COLUMNS ", r.id, r.status, r.held, a.open, r.attempt, r.created, r.started, r.ended, m.count,"
      " m.last_number, CASE WHEN r.status = 'Failed' THEN json_extract(r.error_json, '$.message') END FROM sweep_trial t LEFT JOIN run r ON r.seq = t.run"
      " LEFT JOIN attempt a ON a.run = r.seq AND a.attempt = r.attempt"
      " LEFT JOIN metric m ON m.run = r.seq AND m.attempt = r.attempt AND m.name = ?"
      " WHERE t.sweep = ? AND t.number >= ? AND (t.is_open = 1 OR ? = 0) AND (? OR r.deleted IS NULL) ORDER BY t.number LIMIT ?",
      filter.metric, filter.sweep, filter.from, filter.open_only, filter.bin_too, filter.limit);
  std::vector<TrialFacts> trials;
  while (rows.next()) {
    TrialFacts& state = trials.emplace_back();
    state.trial = read_trial(rows);
    if (!state.trial.run) continue;
    int column = kTrialColumns;
    state.run_id = rows.text(column++);
    state.status = status_from_name(rows.text(column++));
    state.is_held = rows.integer(column++) != 0;
    state.has_nodes = rows.integer(column++) != 0;
    state.attempt = rows.integer(column++);
    state.created = rows.integer(column++);
    state.started = rows.maybe_integer(column++);
    state.ended = rows.maybe_integer(column++);
    state.values = rows.integer(column++);
    state.last = maybe_real(rows, column++);
    state.failure = rows.text(column);
  }
  ROOST_CHECK(rows.status());
  return trials;
}

Result<TrialCounts> count_trials_by_state(Tx& tx, std::int64_t sweep) {
  Rows rows = tx.query("SELECT coalesce(r.status, ''), t.verdict, count(*) FROM sweep_trial t"
                       " LEFT JOIN run r ON r.seq = t.run WHERE t.sweep = ? AND r.deleted IS NULL GROUP BY 1, 2",
                       sweep);
  TrialCounts counts;
  while (rows.next()) {
    const std::string status = rows.text(0);
    const TrialVerdict verdict = verdict_from(rows.bytes(1));
    const std::int64_t count = rows.integer(2);
    if (status == "Completed") {
      counts.completed += count;
    } else if (status == "Failed") {
      counts.failed += count;
    } else if (status == "Canceled") {
      (verdict == TrialVerdict::kStop ? counts.stopped : counts.canceled) += count;
    } else if (verdict == TrialVerdict::kPause) {
      counts.paused += count;
    } else if (status.empty() || status == "Starting" || status == "Preparing" || status == "Queued" ||
               status == "Provisioning") {
      counts.waiting += count;
    } else {
      counts.running += count;
    }
  }
  ROOST_CHECK(rows.status());
  return counts;
}

Result<std::vector<std::int64_t>> runs_with_outputs(Tx& tx, std::int64_t sweep) {
  Rows rows = tx.query("SELECT t.run FROM sweep_trial t WHERE t.sweep = ? AND t.run IS NOT NULL AND EXISTS"
                       " (SELECT 1 FROM artifact a WHERE a.run = t.run AND a.path >= 'outputs/' AND a.path < 'outputs0')",
                       sweep);
  std::vector<std::int64_t> runs;
  while (rows.next()) runs.push_back(rows.integer(0));
  ROOST_CHECK(rows.status());
  return runs;
}

Result<std::vector<std::string>> metrics_of_trials(Tx& tx, std::int64_t sweep, std::int64_t limit) {
  Rows rows = tx.query("SELECT DISTINCT m.name FROM sweep_trial t JOIN metric m ON m.run = t.run WHERE t.sweep = ?"
                       " ORDER BY m.name LIMIT ?",
                       sweep, limit);
  std::vector<std::string> names;
  while (rows.next()) names.push_back(rows.text(0));
  ROOST_CHECK(rows.status());
  return names;
}

}  // namespace roost
