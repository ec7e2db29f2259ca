#include "sweeps/live_sweep.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "records/run_records.h"

namespace roost {
namespace {

// So many children fail without a value before the rest is not tried.
constexpr std::int64_t kFutile = 5;

TrialState state_of(const TrialFacts& facts) {
  if (!facts.status) return TrialState::kWaiting;
  switch (*facts.status) {
    case RunStatus::kCompleted: return TrialState::kCompleted;
    case RunStatus::kFailed: return TrialState::kFailed;
    case RunStatus::kCanceled: return facts.trial.reason.empty() ? TrialState::kCanceled : TrialState::kStopped;
    case RunStatus::kNotStarted:
    case RunStatus::kStarting:
    case RunStatus::kPreparing:
    case RunStatus::kQueued:
    case RunStatus::kProvisioning: return TrialState::kWaiting;
    default: return TrialState::kRunning;
  }
}

bool has_ended(const TrialFacts& facts) { return facts.status && is_terminal(*facts.status); }

}  // namespace

Result<LiveSweep> LiveSweep::load(const SweepParts& parts, std::int64_t sweep) {
  std::optional<LiveSweep> live;
  ROOST_CHECK(parts.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(SweepRow row, sweep_by_row(tx, sweep));
    ROOST_TRY(SweepSpec spec, parse_sweep_spec(row.spec, 0));
    live.emplace(LiveSweep(parts, std::move(spec)));
    live->row_ = std::move(row);
    ROOST_CHECK(live->load_prior(tx));
    ROOST_TRY(const auto all, list_trials(tx, {sweep, live->spec_.metric}));
    for (const auto& facts : all) ROOST_CHECK(live->note(tx, facts));
    return live->refresh(tx);
  }));
  return std::move(*live);
}

// Trials of earlier sweeps count as seen; their parameters may be of another space, which samplers leave aside.
Status LiveSweep::load_prior(Tx& tx) {
  for (const auto& id : spec_.resume_from) {
    ROOST_TRY(const Run run, find_run(tx, id));
    ROOST_TRY(const auto all, list_trials(tx, {run.seq, spec_.metric}));
    for (const auto& facts : all) {
      Trial trial;
      trial.number = -1 - static_cast<std::int64_t>(trials_.size());
      trial.parameters = facts.trial.parameters;
      trial.state = has_ended(facts) ? state_of(facts) : TrialState::kCanceled;
      ROOST_CHECK(read_values(tx, facts, trial));
      if (!trial.values.empty()) trials_.push_back(std::move(trial));
    }
  }
  prior_ = trials_.size();
  return {};
}

// Puts a trial of this sweep where its number says, with everything it has logged.
Status LiveSweep::note(Tx& tx, const TrialFacts& facts) {
  const auto number = static_cast<std::size_t>(facts.trial.number);
  if (rows_.size() <= number) {
    rows_.resize(number + 1);
    attempts_.resize(number + 1, 0);
    trials_.resize(prior_ + number + 1);
  }
  Trial& trial = trials_[prior_ + number];
  if (attempts_[number] != facts.attempt) trial.values.clear();  // it was tried again
  attempts_[number] = facts.attempt;
  rows_[number] = facts.trial;
  trial.number = facts.trial.number;
  trial.parameters = facts.trial.parameters;
  trial.state = state_of(facts);
  ROOST_CHECK(read_values(tx, facts, trial));
  if (trial.state == TrialState::kFailed && first_failed_.empty()) {
    ROOST_TRY(const Run run, run_by_row(tx, *facts.trial.run));
    first_failed_ = run.id;
    first_error_ = run.error;
  }
  return {};
}

Status LiveSweep::read_values(Tx& tx, const TrialFacts& facts, Trial& trial) {
  const auto have = static_cast<std::int64_t>(trial.values.size());
  if (!facts.trial.run || facts.values <= have) return {};
  ROOST_TRY(const Run run, run_by_row(tx, *facts.trial.run));
  ROOST_TRY(const auto more, parts_->read_values(tx, run, spec_.metric, have));
  trial.values.insert(trial.values.end(), more.begin(), more.end());
  return {};
}

Status LiveSweep::refresh(Tx& tx) {
  ROOST_TRY(row_, sweep_by_row(tx, row_.run));
  ROOST_TRY(parent_, run_by_row(tx, row_.run));
  // Those that were open, and what was added since.
  ROOST_TRY(open_, list_trials(tx, {.sweep = row_.run, .metric = spec_.metric, .open_only = true}));
  for (const auto& facts : open_) ROOST_CHECK(note(tx, facts));
  return {};
}

Status LiveSweep::take_turn() {
  ROOST_CHECK(parts_->db.read([&](Tx& tx) { return refresh(tx); }));
  const bool has_new_best = update_best();
  Decisions decisions = decide();
  if (has_new_best || decides_anything(decisions)) ROOST_CHECK(write_down(decisions));
  act(decisions);
  return start_waiting();
}

// What has ended was looked at before it was closed, so those that are open suffice.
bool LiveSweep::update_best() {
  bool is_new = false;
  for (const auto& facts : open_) {
    const auto value = best_value(trials_[prior_ + static_cast<std::size_t>(facts.trial.number)], spec_.goal);
    if (!value) continue;
    const bool is_better = !row_.best_value || (spec_.goal == Goal::kMaximize ? *value > *row_.best_value
                                                                              : *value < *row_.best_value);
    if (!is_better) continue;
    row_.best_value = value;
    row_.best_trial = facts.trial.number;
    is_new = true;
  }
  return is_new;
}

LiveSweep::Decisions LiveSweep::decide() const {
  Decisions decisions;
  for (const auto& facts : open_) {
    const bool never_starts = !facts.trial.run && (row_.is_stopping || is_terminal(parent_.status));
    if (!has_ended(facts) && !never_starts) continue;
    decisions.changed.push_back(facts.trial);
    decisions.changed.back().is_open = false;
  }
  if (is_terminal(parent_.status)) {
    end_children(decisions, fmt::format("the sweep {} was ended: {}", parent_.id, status_name(parent_.status)));
    return decisions;
  }
  if (parts_->clock.now() >= row_.deadline) {
    decisions.stop = true;
    decisions.message = fmt::format("its {} minutes are over", spec_.max_duration_minutes);
    end_children(decisions, "the sweep's time is over");
  } else {
    judge_open(decisions);
    if (!refused_.empty() || nothing_but_failures()) {
      decisions.stop = true;
      decisions.message = refused_.empty() ? all_failed_message() : refused_;
    }
    draw(decisions);
  }
  conclude(decisions);
  return decisions;
}

bool LiveSweep::all_children_ended() const {
  return std::all_of(open_.begin(), open_.end(), [](const TrialFacts& facts) { return has_ended(facts) || !facts.trial.run; });
}

bool LiveSweep::decides_anything(const Decisions& decisions) const {
  return !decisions.changed.empty() || !decisions.drawn.empty() || decisions.used_up || decisions.end ||
         (decisions.stop && !row_.is_stopping) || (is_terminal(parent_.status) && all_children_ended());
}

void LiveSweep::end_children(Decisions& decisions, const std::string& reason) const {
  for (const auto& facts : open_) {
    if (!facts.trial.run || has_ended(facts) || facts.status == RunStatus::kCancelRequested) continue;
    decisions.stopped.emplace_back(facts.run_id, reason);
  }
}

void LiveSweep::judge_open(Decisions& decisions) const {
  for (const auto& facts : open_) {
    const auto index = prior_ + static_cast<std::size_t>(facts.trial.number);
    const auto seen = static_cast<std::int64_t>(trials_[index].values.size());
    if (!facts.trial.run || has_ended(facts) || facts.status == RunStatus::kCancelRequested) continue;
    if (!facts.trial.reason.empty()) {  // written down before a restart
      decisions.stopped.emplace_back(facts.run_id, facts.trial.reason);
      continue;
    }
    if (seen <= facts.trial.judged) continue;
    TrialRow row = facts.trial;
    while (row.judged < seen && row.reason.empty()) {
      const Verdict verdict = judge(spec_.policy, spec_.goal, trials_, index, ++row.judged);
      if (verdict.kind != Verdict::kGoOn) row.reason = verdict.reason;
    }
    if (!row.reason.empty()) {
      decisions.stopped.emplace_back(facts.run_id, row.reason);
      log("CONTROLLER", fmt::format("{} was {}", facts.run_id, row.reason), decisions.log);
    }
    decisions.changed.push_back(std::move(row));
  }
}

void LiveSweep::draw(Decisions& decisions) const {
  if (row_.is_paused || row_.is_stopping || row_.is_used_up || decisions.stop) return;
  const auto active = std::count_if(open_.begin(), open_.end(), [](const TrialFacts& facts) { return !has_ended(facts); });
  const std::int64_t have = static_cast<std::int64_t>(rows_.size());
  std::int64_t wanted = row_.max_total - have;
  if (row_.max_concurrent) wanted = std::min(wanted, *row_.max_concurrent - static_cast<std::int64_t>(active));
  if (wanted <= 0) return;
  log("GENERATOR", fmt::format("Trying to sample '{}' jobs from the hyperparameter space", wanted), decisions.log);
  std::vector<Trial> history = trials_;
  for (std::int64_t number = have; number < have + wanted; ++number) {
    auto parameters = suggest(spec_.sampling, spec_.space, spec_.goal, history, number);
    if (!parameters) {
      decisions.used_up = true;
      break;
    }
    history.push_back({number, *parameters, TrialState::kWaiting, {}});
    TrialRow& row = decisions.drawn.emplace_back();
    row.number = number;
    row.parameters = std::move(*parameters);
    row.origin = spec_.sampling.type;
  }
  log("GENERATOR",
      fmt::format("Successfully sampled '{}' jobs, they will soon be submitted to the execution target.", decisions.drawn.size()),
      decisions.log);
  if (have + static_cast<std::int64_t>(decisions.drawn.size()) >= row_.max_total) {
    log("GENERATOR", fmt::format("Max number of jobs '{}' reached for experiment.", row_.max_total), decisions.log);
  }
  if (decisions.used_up || have + static_cast<std::int64_t>(decisions.drawn.size()) >= row_.max_total) {
    log("GENERATOR", "All jobs generated.", decisions.log);
  }
}

bool LiveSweep::nothing_but_failures() const {
  const auto failed = std::count_if(trials_.begin() + static_cast<std::ptrdiff_t>(prior_), trials_.end(),
                                    [](const Trial& trial) { return trial.state == TrialState::kFailed; });
  const bool has_other = std::any_of(trials_.begin() + static_cast<std::ptrdiff_t>(prior_), trials_.end(), [](const Trial& trial) {
    return !trial.values.empty() || trial.state == TrialState::kCompleted || trial.state == TrialState::kStopped;
  });
  return !has_other && failed >= std::max(kFutile, std::min<std::int64_t>(row_.max_concurrent.value_or(kFutile), row_.max_total));
}

std::string LiveSweep::all_failed_message() const {
  return fmt::format("every child failed; the first, {}: {}", first_failed_, text_at(first_error_, "message", "no reason is known"));
}

void LiveSweep::conclude(Decisions& decisions) const {
  const bool draws_no_more = row_.is_stopping || decisions.stop || row_.is_used_up || decisions.used_up ||
                             static_cast<std::int64_t>(rows_.size()) >= row_.max_total;
  if (!draws_no_more || !decisions.drawn.empty()) return;
  const bool waits = !row_.is_stopping && !decisions.stop &&
                     std::any_of(open_.begin(), open_.end(), [](const TrialFacts& facts) { return !facts.trial.run; });
  if (waits || !all_children_ended()) return;
  bool has_failed = !refused_.empty();
  bool has_other = false;
  for (std::size_t i = prior_; i < trials_.size(); ++i) {
    if (trials_[i].state == TrialState::kWaiting) continue;
    (trials_[i].state == TrialState::kFailed ? has_failed : has_other) = true;
  }
  decisions.end = has_failed && !has_other ? RunStatus::kFailed : RunStatus::kCompleted;
  if (*decisions.end == RunStatus::kFailed && refused_.empty()) decisions.message = all_failed_message();
  log("CONTROLLER", fmt::format("Changing Run Status from Running to {}", status_name(*decisions.end)), decisions.log);
}

// Somebody may have changed the sweep since it was read: then nothing is drawn, and the next turn sees it.
Status LiveSweep::write_down(Decisions& decisions) {
  const bool is_over = is_terminal(parent_.status) && all_children_ended();
  ROOST_CHECK(parts_->db.write([&](Tx& tx) -> Status {
    ROOST_TRY(SweepRow row, sweep_by_row(tx, row_.run));
    ROOST_TRY(const std::int64_t count, count_trials(tx, row_.run));
    const bool is_same = row.is_paused == row_.is_paused && row.is_stopping == row_.is_stopping &&
                         row.max_total == row_.max_total && row.max_concurrent == row_.max_concurrent &&
                         count == static_cast<std::int64_t>(rows_.size());
    if (!is_same) {
      decisions.drawn.clear();
      decisions.used_up = false;
      decisions.end.reset();
      decisions.log.clear();
    }
    for (const auto& trial : decisions.changed) ROOST_CHECK(save_trial(tx, row_.run, trial));
    for (const auto& trial : decisions.drawn) ROOST_CHECK(insert_trial(tx, row_.run, trial));
    row.best_trial = row_.best_trial;
    row.best_value = row_.best_value;
    row.is_used_up |= decisions.used_up;
    row.is_stopping |= decisions.stop;
    if (!decisions.message.empty()) row.message = decisions.message;
    if (decisions.end) ROOST_CHECK(write_end(tx, row, decisions));
    if (is_over) row.is_active = false;
    ROOST_CHECK(save_sweep(tx, row));
    row_ = row;
    return {};
  }));
  for (const auto& trial : decisions.drawn) {
    rows_.push_back(trial);
    attempts_.push_back(0);
    trials_.push_back({trial.number, trial.parameters, TrialState::kWaiting, {}});
  }
  return {};
}

Status LiveSweep::write_end(Tx& tx, SweepRow& row, const Decisions& decisions) {
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

void LiveSweep::act(const Decisions& decisions) {
  for (const auto& [run, reason] : decisions.stopped) parts_->cancel_child(run, reason);
  if (!decisions.log.empty()) parts_->append_log(parent_.id, decisions.log);
  if (decisions.end || !decisions.drawn.empty() || !decisions.changed.empty()) parts_->changes.run_changed(parent_.id);
}

Status LiveSweep::start_waiting() {
  if (is_terminal(parent_.status) || row_.is_stopping || !refused_.empty()) return {};
  for (auto& row : rows_) {
    if (row.run || !row.is_open) continue;
    const Status started = start(row);
    if (started) continue;
    const ErrorCode code = started.error().code;
    if (code != ErrorCode::kInvalidArgument && code != ErrorCode::kFailedPrecondition && code != ErrorCode::kNotFound) {
      return started;  // it passes
    }
    refused_ = fmt::format("{} could not be started: {}", child_id(row.number), started.error().message);
    return {};
  }
  return {};
}

Status LiveSweep::start(const TrialRow& row) {
  ChildOrder order;
  order.spec = child_spec(spec_, row.parameters);
  order.spec.id = child_id(row.number);
  order.spec.parent = parent_.id;
  order.workspace = parent_.workspace;
  order.user = parent_.created_by;
  order.may_start = [this, number = row.number](Tx& tx) -> Result<bool> {
    ROOST_TRY(const Run parent, run_by_row(tx, row_.run));
    ROOST_TRY(const TrialRow now, find_trial(tx, row_.run, number));
    return !is_terminal(parent.status) && !now.run;
  };
  order.was_made = [this, number = row.number](Tx& tx, const Run& run) -> Status {
    ROOST_TRY(TrialRow now, find_trial(tx, row_.run, number));
    now.run = run.seq;
    return save_trial(tx, row_.run, now);
  };
  std::string text;
  log("SCHEDULER", fmt::format("Scheduling job, id='{}'", order.spec.id), text);
  ROOST_CHECK(parts_->start_child(order));
  log("SCHEDULER", fmt::format("Successfully scheduled a job. Id='{}'", order.spec.id), text);
  parts_->append_log(parent_.id, text);
  return {};
}

void LiveSweep::log(std::string_view part, std::string_view text, std::string& into) const {
  std::string time = format_time(parts_->clock.now());
  if (time.ends_with("Z")) time.pop_back();
  into += fmt::format("[{}][{}][INFO]{}\n", time, part, text);
}

std::string LiveSweep::child_id(std::int64_t number) const { return fmt::format("{}_{}", parent_.id, number); }

}  // namespace roost
