#include "sweeps/decide_sweep.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "sweeps/pbt.h"

namespace roost {
namespace {

// So many children fail without a value before the rest is not tried.
constexpr std::int64_t kFutile = 5;

// Why a child failed, with what its argument parser said, which is no exception.
std::string failure_text(const Json& error) {
  std::string text = text_at(error, "message", "no reason is known");
  std::string said;
  for (const auto& line : strings_at(error, "last_lines")) {
    if (line.find(": error: ") != std::string::npos) said = line;
  }
  if (said.empty()) return text;
  text += "; it printed: " + printable(said, 300);
  if (said.find("unrecognized arguments") != std::string::npos) {
    text += ". A child gets --NAME VALUE for each parameter of the space: the script must take them, or the space leave them out";
  }
  return text;
}

// Puts one decision on another: each looks at the view and at what the earlier ones changed.
class Deciding {
 public:
  explicit Deciding(const SweepView& view) : view_(view) {
    for (const auto& facts : view.open) now_.push_back(facts.trial);
  }

  SweepDecisions decide() {
    close_ended();
    if (is_terminal(view_.status)) {
      stop_open(fmt::format("the sweep {} was ended: {}", view_.id, status_name(view_.status)));
    } else if (view_.now >= view_.row.deadline) {
      out_.stop = true;
      out_.message = fmt::format("its {} minutes are over", view_.spec.max_duration_minutes);
      stop_open("the sweep's time is over");
      conclude();
    } else {
      judge_open();
      give_up_if_futile();
      fill_slots();
      end_paused();
      conclude();
    }
    for (std::size_t i = 0; i < now_.size(); ++i) {
      now_[i].intervals = intervals_of(trial_of(now_[i]));
      now_[i].best = best_value(trial_of(now_[i]), view_.spec.goal);
      if (is_changed(now_[i], view_.open[i].trial)) out_.changed.push_back(now_[i]);
    }
    return std::move(out_);
  }

 private:
  static bool is_changed(const TrialRow& a, const TrialRow& b) {
    return a.is_open != b.is_open || a.judged != b.judged || a.verdict != b.verdict || a.reason != b.reason ||
           a.intervals != b.intervals || a.best != b.best;
  }
  Trial& trial_of(const TrialRow& row) { return view_.trials[view_.prior + static_cast<std::size_t>(row.number)]; }
  std::string run_of(std::int64_t number) const { return fmt::format("{}_{}", view_.id, number); }
  void log(std::string part, std::string text) { out_.log.emplace_back(std::move(part), std::move(text)); }
  bool is_stopping() const { return view_.row.is_stopping || out_.stop || is_terminal(view_.status); }
  std::int64_t count() const { return static_cast<std::int64_t>(view_.rows.size() + out_.drawn.size()); }

  void close_ended() {
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const bool never_starts = !now_[i].run && is_stopping();
      if (has_ended(view_.open[i]) || never_starts) now_[i].is_open = false;
    }
  }

  void set(TrialRow& row, TrialVerdict verdict, const std::string& reason) {
    row.verdict = verdict;
    row.reason = reason;
    if (verdict == TrialVerdict::kPause) trial_of(row).state = TrialState::kPaused;
  }

  void stop_open(const std::string& reason) {
    for (auto& row : now_) {
      if (row.is_open && row.run && row.verdict != TrialVerdict::kStop) set(row, TrialVerdict::kStop, reason);
    }
  }

  void judge_open() {
    for (std::size_t i = 0; i < now_.size(); ++i) {
      TrialRow& row = now_[i];
      if (!row.is_open || !row.run || row.verdict != TrialVerdict::kNone) continue;
      if (view_.open[i].status == RunStatus::kCancelRequested) continue;
      const auto index = view_.prior + static_cast<std::size_t>(row.number);
      const auto seen = intervals_of(view_.trials[index]);
      while (row.judged < seen && row.verdict == TrialVerdict::kNone) judge_interval(row, index);
    }
  }

  void judge_interval(TrialRow& row, std::size_t index) {
    const SweepSpec& spec = view_.spec;
    row.judged += 1;
    if (spec.policy.type == PolicyType::kPbt) {
      hand_over_if_behind(row, index);
      return;
    }
    const Verdict verdict = judge(spec.policy, spec.goal, view_.trials, index, row.judged);
    if (verdict.kind == Verdict::kGoOn) return;
    set(row, verdict.kind == Verdict::kPause ? TrialVerdict::kPause : TrialVerdict::kStop, verdict.reason);
    log("CONTROLLER", fmt::format("{} was {}", run_of(row.number), verdict.reason));
  }

  // The one that is behind ends, and a new trial goes on from a copy of the better one's checkpoint.
  void hand_over_if_behind(TrialRow& row, std::size_t index) {
    if (is_stopping() || view_.row.is_paused || count() >= view_.row.max_total) return;
    const SweepSpec& spec = view_.spec;
    const auto given = hand_over(spec.policy, spec.space, spec.goal, view_.trials, index, row.judged, spec.sampling.seed);
    if (!given) return;
    const TrialRow& better = view_.rows[static_cast<std::size_t>(given->from)];
    if (!better.run || !view_.checkpoints.contains(*better.run)) {
      log("CONTROLLER", fmt::format("{} stays: {} has kept nothing in ./outputs yet that another could go on from",
                                    run_of(row.number), run_of(given->from)));
      return;
    }
    TrialRow& next = add(given->parameters, "pbt");
    next.source = run_of(given->from);
    next.inherited = intervals_of(view_.trials[view_.prior + static_cast<std::size_t>(given->from)]);
    next.judged = next.inherited;
    set(row, TrialVerdict::kStop, fmt::format("{}; {} goes on instead", given->reason, run_of(next.number)));
    log("CONTROLLER", fmt::format("{} was {}", run_of(row.number), row.reason));
  }

  TrialRow& add(const Json& parameters, const std::string& origin) {
    TrialRow row;
    row.number = count();
    row.parameters = parameters;
    row.origin = origin;
    view_.trials.push_back({row.number, parameters, TrialState::kWaiting, {}});
    view_.suggester.put(view_.trials.back());
    return out_.drawn.emplace_back(std::move(row));
  }

  // Those that have nodes or are about to. A paused one has its slot until it has left its nodes.
  std::int64_t active() const {
    std::int64_t active = static_cast<std::int64_t>(out_.drawn.size());
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const bool rests = now_[i].verdict == TrialVerdict::kPause && view_.open[i].is_held && !view_.open[i].has_nodes;
      if (now_[i].is_open && !rests) ++active;
    }
    return active;
  }

  bool has_slot() const { return !view_.row.max_concurrent || active() < *view_.row.max_concurrent; }

  // Paused ones that have earned it before new ones.
  void fill_slots() {
    if (view_.row.is_paused || is_stopping()) return;
    while (has_slot()) {
      const auto next = next_to_resume(view_.spec.policy, view_.spec.goal, view_.trials, !draws_no_more());
      if (!next || !resume(*next)) break;
    }
    draw();
  }

  bool resume(std::int64_t number) {
    for (auto& row : now_) {
      if (row.number != number || row.verdict != TrialVerdict::kPause) continue;
      row.verdict = TrialVerdict::kNone;
      row.reason.clear();
      row.judged = std::max(row.judged, intervals_of(trial_of(row)));  // it may have logged more before it was stopped
      trial_of(row).state = TrialState::kWaiting;
      log("CONTROLLER", fmt::format("{} goes on after interval {}", run_of(number), row.judged));
      return true;
    }
    return false;
  }

  void draw() {
    if (view_.row.is_used_up || count() >= view_.row.max_total || !has_slot()) return;
    std::int64_t wanted = view_.row.max_total - count();
    if (view_.row.max_concurrent) wanted = std::min(wanted, *view_.row.max_concurrent - active());
    if (count() == 0) log("API", "Experiment created");
    log("GENERATOR", fmt::format("Trying to sample '{}' jobs from the hyperparameter space", wanted));
    std::int64_t sampled = 0;
    for (; sampled < wanted; ++sampled) {
      const auto parameters = view_.suggester.suggest(count());
      if (!parameters) {
        out_.used_up = true;
        break;
      }
      add(*parameters, view_.spec.sampling.type);
    }
    log("GENERATOR",
        fmt::format("Successfully sampled '{}' jobs, they will soon be submitted to the execution target.", sampled));
    const bool is_full = count() >= view_.row.max_total;
    if (is_full) log("GENERATOR", fmt::format("Max number of jobs '{}' reached for experiment.", view_.row.max_total));
    if (is_full || out_.used_up) log("GENERATOR", "All jobs generated.");
  }

  bool draws_no_more() const {
    return is_stopping() || view_.row.is_used_up || out_.used_up || count() >= view_.row.max_total;
  }

  // Nothing runs, nothing is drawn and none of those that wait has earned to go on: they have lost.
  void end_paused() {
    if (!draws_no_more() || !out_.drawn.empty()) return;
    const bool others_go_on = std::any_of(now_.begin(), now_.end(), [](const TrialRow& row) {
      return row.is_open && row.verdict != TrialVerdict::kPause;
    });
    if (!is_stopping() && (others_go_on || view_.row.is_paused)) return;
    for (auto& row : now_) {
      if (!row.is_open || row.verdict != TrialVerdict::kPause) continue;
      const auto index = view_.prior + static_cast<std::size_t>(row.number);
      set(row, TrialVerdict::kStop, judge_rest(view_.spec.policy, view_.spec.goal, view_.trials, index).reason);
    }
  }

  void give_up_if_futile() {
    const auto own = view_.trials.begin() + static_cast<std::ptrdiff_t>(view_.prior);
    const auto failed = std::count_if(own, view_.trials.end(), [](const Trial& trial) { return trial.state == TrialState::kFailed; });
    const bool has_other = std::any_of(own, view_.trials.end(), [](const Trial& trial) {
      return !trial.values.empty() || trial.state == TrialState::kCompleted || trial.state == TrialState::kStopped;
    });
    const bool is_futile = !has_other && failed >= std::max(kFutile, std::min(view_.row.max_concurrent.value_or(kFutile), view_.row.max_total));
    // The environment is the same for all: to build it again for the next one would fail again.
    const bool has_no_environment = !has_other && failed > 0 && text_at(view_.first_error, "code") == "environment_failed";
    if (view_.refused.empty() && !is_futile && !has_no_environment) return;
    out_.stop = true;
    out_.message = view_.refused.empty() ? all_failed() : view_.refused;
  }

  std::string all_failed() const {
    return fmt::format("every child failed; the first, {}: {}", view_.first_failed, failure_text(view_.first_error));
  }

  void conclude() {
    if (!draws_no_more() || !out_.drawn.empty()) return;
    const bool goes_on = std::any_of(now_.begin(), now_.end(), [&](const TrialRow& row) {
      return row.is_open && (row.run || !is_stopping());
    });
    if (goes_on) return;
    bool has_failed = !view_.refused.empty();
    bool has_other = false;
    for (std::size_t i = view_.prior; i < view_.trials.size(); ++i) {
      if (view_.trials[i].state == TrialState::kWaiting) continue;
      (view_.trials[i].state == TrialState::kFailed ? has_failed : has_other) = true;
    }
    out_.end = has_failed && !has_other ? RunStatus::kFailed : RunStatus::kCompleted;
    if (*out_.end == RunStatus::kFailed && view_.refused.empty()) out_.message = all_failed();
    log("CONTROLLER", fmt::format("Changing Run Status from Running to {}", status_name(*out_.end)));
  }

  const SweepView& view_;
  std::vector<TrialRow> now_;  // of the open ones, in their order
  SweepDecisions out_;
};

}  // namespace

bool has_ended(const TrialFacts& facts) { return facts.status && is_terminal(*facts.status); }

TrialState state_of(const TrialFacts& facts) {
  if (!facts.status) return TrialState::kWaiting;
  switch (*facts.status) {
    case RunStatus::kCompleted: return TrialState::kCompleted;
    case RunStatus::kFailed: return TrialState::kFailed;
    case RunStatus::kCanceled:
      return facts.trial.verdict == TrialVerdict::kStop ? TrialState::kStopped : TrialState::kCanceled;
    default: break;
  }
  if (facts.trial.verdict == TrialVerdict::kPause) return TrialState::kPaused;
  switch (*facts.status) {
    case RunStatus::kNotStarted:
    case RunStatus::kStarting:
    case RunStatus::kPreparing:
    case RunStatus::kQueued:
    case RunStatus::kProvisioning: return TrialState::kWaiting;
    default: return TrialState::kRunning;
  }
}

bool all_children_ended(const SweepView& view) {
  return std::all_of(view.open.begin(), view.open.end(),
                     [](const TrialFacts& facts) { return has_ended(facts) || !facts.trial.run; });
}

bool SweepDecisions::is_anything(const SweepView& view) const {
  return !changed.empty() || !drawn.empty() || used_up || end || (stop && !view.row.is_stopping) ||
         (is_terminal(view.status) && all_children_ended(view));
}

SweepDecisions decide_sweep(const SweepView& view) { return Deciding(view).decide(); }

}  // namespace roost
