#include "sweeps/live_sweep.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "records/artifact_records.h"
#include "records/attempt_records.h"
#include "records/run_records.h"

namespace roost {
namespace {

constexpr std::int64_t kNamesShown = 10;
constexpr Micros kPatience = 20 * kSecond;  // with children that run and have not logged the metric

}  // namespace

Result<LiveSweep> LiveSweep::load(const SweepParts& parts, std::int64_t sweep) {
  std::optional<LiveSweep> live;
  ROOST_CHECK(parts.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(SweepRow row, sweep_by_row(tx, sweep));
    ROOST_TRY(SweepSpec spec, parse_sweep_spec(row.spec, 0));
    live.emplace(LiveSweep(parts, std::move(spec)));
    live->row_ = std::move(row);
    ROOST_TRY(live->parent_, run_by_row(tx, sweep));
    ROOST_CHECK(live->load_prior(tx));
    ROOST_TRY(const auto all, list_trials(tx, {sweep, live->spec_.metric}));
    for (const auto& facts : all) ROOST_CHECK(live->note(tx, facts));
    live->has_told_preparing_ = live->has_told_prepared_ = !all.empty();
    return live->refresh(tx);
  }));
  return std::move(*live);
}

// Trials of earlier sweeps count as seen; their parameters may be of another space, which samplers leave aside.
Status LiveSweep::load_prior(Tx& tx) {
  for (const auto& id : spec_.resume_from) {
    const auto run = find_run(tx, id);
    if (!run && run.error().code == ErrorCode::kNotFound) continue;  // deleted for good meanwhile
    if (!run) return fail(run.error());
    ROOST_TRY(const auto all, list_trials(tx, {run->seq, spec_.metric}));
    for (const auto& facts : all) {
      TrialSeries series;
      ROOST_CHECK(read_values(tx, facts, series));
      if (series.values().empty()) continue;
      Trial trial;
      trial.number = -1 - static_cast<std::int64_t>(trials_.size());
      trial.parameters = facts.trial.parameters;
      trial.state = has_ended(facts) ? state_of(facts) : TrialState::kCanceled;
      trial.values = series.values();
      suggester_.put(trial);
      trials_.push_back(std::move(trial));
    }
  }
  prior_ = trials_.size();
  return {};
}

// Puts a trial of this sweep where its number says, with everything it has logged.
Status LiveSweep::note(Tx& tx, const TrialFacts& facts) {
  const auto number = static_cast<std::size_t>(facts.trial.number);
  const bool is_new = rows_.size() <= number;
  if (is_new) {
    rows_.resize(number + 1);
    series_.resize(number + 1);
    trials_.resize(prior_ + number + 1);
  }
  TrialSeries& series = series_[number];
  if (facts.trial.inherited > 0 && series.values().empty() && series.count_of_attempt() == 0) {
    const auto source = trial_number(facts.trial.source);
    if (source && *source < facts.trial.number) series.inherit(series_[static_cast<std::size_t>(*source)], facts.trial.inherited);
  }
  ROOST_CHECK(read_values(tx, facts, series));
  rows_[number] = facts.trial;
  Trial& trial = trials_[prior_ + number];
  trial.number = facts.trial.number;
  trial.parameters = facts.trial.parameters;
  const TrialState before = std::exchange(trial.state, state_of(facts));
  const bool has_logged = trial.values != series.values();
  if (has_logged) trial.values = series.values();
  if (is_new || has_logged || trial.state != before) suggester_.put(trial);
  if (trial.state == TrialState::kFailed && (first_failed_.empty() || facts.trial.number < *trial_number(first_failed_))) {
    ROOST_TRY(const Run run, run_by_row(tx, *facts.trial.run));
    first_failed_ = run.id;
    first_error_ = run.error;
  }
  return {};
}

Status LiveSweep::read_values(Tx& tx, const TrialFacts& facts, TrialSeries& series) {
  if (!facts.trial.run || facts.attempt == 0) return {};
  const bool is_known = series.attempt() == facts.attempt && facts.values <= series.count_of_attempt();
  if (is_known) return {};
  std::vector<std::int64_t> taken;
  if (series.attempt() != facts.attempt) {
    ROOST_TRY(taken, preempted_attempts(tx, *facts.trial.run));
  }
  for (;;) {
    ROOST_TRY(const auto more, parts_->read_values(tx, *facts.trial.run, series.attempt(), spec_.metric,
                                                   series.count_of_attempt()));
    series.add(more);
    if (series.attempt() >= facts.attempt) return {};
    series.next_attempt(std::find(taken.begin(), taken.end(), series.attempt()) != taken.end());
  }
}

Status LiveSweep::refresh(Tx& tx) {
  ROOST_TRY(row_, sweep_by_row(tx, row_.run));
  ROOST_TRY(parent_.status, run_status(tx, row_.run));
  ROOST_TRY(open_, list_trials(tx, {.sweep = row_.run, .metric = spec_.metric, .open_only = true}));
  for (const auto& facts : open_) ROOST_CHECK(note(tx, facts));
  if (spec_.policy.type == PolicyType::kPbt) {
    ROOST_TRY(const auto runs, runs_with_outputs(tx, row_.run));
    checkpoints_ = {runs.begin(), runs.end()};
  }
  return look_for_metric(tx);
}

// Said once: without a value nothing is compared, and a name that differs in one letter is easily written.
Status LiveSweep::look_for_metric(Tx& tx) {
  if (row_.best_trial || row_.has_told_metric || is_terminal(parent_.status)) return {};
  const bool has_value = std::any_of(trials_.begin() + static_cast<std::ptrdiff_t>(prior_), trials_.end(),
                                     [](const Trial& trial) { return !trial.values.empty(); });
  const Micros now = parts_->clock.now();
  const bool is_due = std::any_of(open_.begin(), open_.end(), [&](const TrialFacts& facts) {
    return facts.status == RunStatus::kCompleted || (facts.started && now - *facts.started > kPatience);
  });
  if (has_value || !is_due) return {};
  ROOST_TRY(const auto names, metrics_of_trials(tx, row_.run, kNamesShown));
  std::string logged = "nothing yet";
  if (!names.empty()) logged = fmt::format("{}", fmt::join(names, ", "));
  notice_ = fmt::format("no child has logged the primary metric \"{}\" so far, so none can be compared; they logged {}. The "
                        "name in run.log() and that of the sweep must be the same to the letter",
                        printable(spec_.metric), printable(logged));
  return {};
}

// What has ended was looked at before it was closed, so those that are open suffice.
bool LiveSweep::update_best() {
  bool is_new = false;
  for (const auto& facts : open_) {
    const auto value = best_value(trials_[prior_ + static_cast<std::size_t>(facts.trial.number)], spec_.goal);
    if (!value || (row_.best_value && !is_better(spec_.goal, *value, *row_.best_value))) continue;
    row_.best_value = value;
    row_.best_trial = facts.trial.number;
    is_new = true;
  }
  return is_new;
}

SweepView LiveSweep::view() {
  return {spec_, row_, parent_.id, parent_.status, parts_->clock.now(), trials_, suggester_, prior_, rows_, open_,
          checkpoints_, first_failed_, first_error_, refused_};
}

Status LiveSweep::take_turn() {
  ROOST_CHECK(parts_->db.read([&](Tx& tx) { return refresh(tx); }));
  const bool has_new_best = update_best();
  const SweepView seen = view();
  SweepDecisions decisions = decide_sweep(seen);
  if (has_new_best || !notice_.empty() || decisions.is_anything(seen)) {
    ROOST_CHECK(write_down(decisions, is_terminal(parent_.status) && all_children_ended(seen)));
    tell(decisions);
  }
  tell_of_environment();
  carry_out();
  return start_waiting();
}

// As Azure has it in the log, once each.
void LiveSweep::tell_of_environment() {
  if (!rows_.empty() && !std::exchange(has_told_preparing_, true)) {
    append_log({{"SCHEDULER", "The execution environment is being prepared. Please be patient as it can take a few minutes."}});
  }
  const bool is_prepared = std::any_of(open_.begin(), open_.end(), [](const TrialFacts& facts) {
    return facts.status && *facts.status != RunStatus::kStarting && *facts.status != RunStatus::kPreparing &&
           *facts.status != RunStatus::kFailed;
  });
  if (is_prepared && !std::exchange(has_told_prepared_, true)) {
    append_log({{"SCHEDULER", "The execution environment was successfully prepared."}});
  }
}

// Somebody may have changed the sweep since it was read: then nothing is drawn, and the next turn sees it.
Status LiveSweep::write_down(SweepDecisions& decisions, bool is_over) {
  const std::size_t drawn = decisions.drawn.size();
  ROOST_CHECK(parts_->db.write([&](Tx& tx) -> Status {
    ROOST_TRY(SweepRow row, sweep_by_row(tx, row_.run));
    ROOST_TRY(const std::int64_t count, count_trials(tx, row_.run));
    const bool is_same = row.is_paused == row_.is_paused && row.is_stopping == row_.is_stopping &&
                         row.max_total == row_.max_total && row.max_concurrent == row_.max_concurrent &&
                         count == static_cast<std::int64_t>(rows_.size());
    if (!is_same) decisions = {};
    for (const auto& trial : decisions.changed) ROOST_CHECK(save_trial(tx, row_.run, trial));
    for (const auto& trial : decisions.drawn) ROOST_CHECK(insert_trial(tx, row_.run, trial));
    row.best_trial = row_.best_trial;
    row.best_value = row_.best_value;
    row.is_used_up |= decisions.used_up;
    row.is_stopping |= decisions.stop;
    if (!decisions.message.empty()) row.message = decisions.message;
    if (decisions.end) ROOST_CHECK(write_end(tx, row, decisions));
    if (!notice_.empty()) {
      row.has_told_metric = true;
      ROOST_CHECK(write_notice(tx));
    }
    if (is_over) row.is_active = false;
    ROOST_CHECK(save_sweep(tx, row));
    row_ = row;
    return {};
  }));
  if (decisions.drawn.size() != drawn) {  // what was drawn was not written down
    trials_.resize(trials_.size() - drawn);
    suggester_ = Suggester(spec_.sampling, spec_.space, spec_.goal);
    for (const auto& trial : trials_) suggester_.put(trial);
  }
  for (const auto& trial : decisions.drawn) {
    rows_.push_back(trial);
    series_.emplace_back();
  }
  for (const auto& trial : decisions.changed) rows_[static_cast<std::size_t>(trial.number)] = trial;
  return {};
}

Status LiveSweep::write_end(Tx& tx, SweepRow& row, const SweepDecisions& decisions) {
  ROOST_TRY(Run parent, run_by_row(tx, row.run));
  if (is_terminal(parent.status)) return {};
  if (row.best_trial) {
    parent.properties["best_child_run_id"] = child_id(*row.best_trial);
    parent.properties["score"] = fmt::format("{}", *row.best_value);
    parent.properties["best_metric_status"] = "Succeeded";
  }
  if (*decisions.end == RunStatus::kFailed) {
    parent.error = {{"code", "children_failed"}, {"message", row.message},
                    {"last_lines", array_at(first_error_, "last_lines")}, {"node", nullptr}};
  }
  row.is_active = false;
  return parts_->end_parent(tx, parent, *decisions.end, row.message, parts_->clock.now());
}

Status LiveSweep::write_notice(Tx& tx) {
  ROOST_TRY(Run parent, run_by_row(tx, row_.run));
  return add_notice(tx, parent, notice_);
}

void LiveSweep::tell(const SweepDecisions& decisions) {
  append_log(decisions.log);
  if (!notice_.empty()) append_log({{"CONTROLLER", notice_}});
  notice_.clear();
  parts_->changes.run_changed(parent_.id);
}

// What children are told follows from what was written of them, whoever wrote it: also a server before this one.
void LiveSweep::carry_out() {
  for (const auto& facts : open_) {
    const TrialRow& row = rows_[static_cast<std::size_t>(facts.trial.number)];
    if (!row.run || has_ended(facts)) continue;
    const bool is_ending = facts.status == RunStatus::kCancelRequested;
    if (row.verdict == TrialVerdict::kStop && !is_ending) {
      parts_->cancel_child(facts.run_id, row.reason);
    } else if (row.verdict == TrialVerdict::kPause && !facts.is_held && !is_ending) {
      parts_->hold_child(facts.run_id, row.reason);
    } else if (row.verdict == TrialVerdict::kNone && facts.is_held) {
      parts_->release_child(facts.run_id, "its sweep lets it go on");
    }
  }
}

Status LiveSweep::start_waiting() {
  if (is_terminal(parent_.status) || row_.is_stopping || !refused_.empty()) return {};
  for (std::size_t i = first_waiting_; i < rows_.size(); ++i) {
    if (rows_[i].run || !rows_[i].is_open) {
      if (i == first_waiting_) ++first_waiting_;
      continue;
    }
    const Status started = start(rows_[i]);
    if (started) continue;
    const ErrorCode code = started.error().code;
    if (code != ErrorCode::kInvalidArgument && code != ErrorCode::kFailedPrecondition && code != ErrorCode::kNotFound) {
      return started;  // it passes
    }
    refused_ = fmt::format("{} could not be started: {}", child_id(rows_[i].number), started.error().message);
    return {};
  }
  return {};
}

Status LiveSweep::start(const TrialRow& row) {
  ChildOrder order;
  order.spec = child_spec(spec_, row.parameters);
  if (!row.content.empty()) give_outputs(order.spec, row.content);
  if (!row.source.empty()) order.spec.properties[kGoesOnFrom] = row.source;
  order.spec.id = child_id(row.number);
  order.spec.parent = parent_.id;
  if (!order.spec.display_name.empty()) order.spec.display_name += fmt::format("-{}", row.number);
  order.workspace = parent_.workspace;
  order.user = parent_.created_by;
  order.may_start = [this, number = row.number](Tx& tx) -> Result<bool> {
    ROOST_TRY(const RunStatus status, run_status(tx, row_.run));
    ROOST_TRY(const TrialRow now, find_trial(tx, row_.run, number));
    return !is_terminal(status) && !now.run;
  };
  order.was_made = [this, &row](Tx& tx, const Run& run) -> Status {
    ROOST_TRY(TrialRow now, find_trial(tx, row_.run, row.number));
    now.run = run.seq;
    if (row.content.empty() && !row.source.empty()) {
      ROOST_TRY(const Run source, find_run(tx, row.source));
      ROOST_CHECK(copy_artifacts(tx, source.seq, run.seq, "outputs/", parts_->clock.now()));
    }
    return save_trial(tx, row_.run, now);
  };
  ROOST_CHECK(parts_->start_child(order));
  append_log({{"SCHEDULER", fmt::format("Scheduling job, id='{}'", order.spec.id)},
              {"SCHEDULER", fmt::format("Successfully scheduled a job. Id='{}'", order.spec.id)}});
  return {};
}

void LiveSweep::append_log(const std::vector<std::pair<std::string, std::string>>& lines) const {
  if (lines.empty()) return;
  std::string time = format_time(parts_->clock.now());
  if (time.ends_with("Z")) time.pop_back();
  std::string text;
  for (const auto& [part, line] : lines) text += fmt::format("[{}][{}][INFO]{}\n", time, part, line);
  parts_->append_log(parent_.id, text);
}

std::string LiveSweep::child_id(std::int64_t number) const { return fmt::format("{}_{}", parent_.id, number); }

}  // namespace roost
