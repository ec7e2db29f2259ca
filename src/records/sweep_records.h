#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"
#include "domain/run.h"

namespace roost {

// Rows of sweeps and of what they try. A sweep's row is that of its parent run. All work inside a caller's transaction.

struct SweepRow {
  std::int64_t run = 0;  // row of the parent
  std::string workspace;
  Json spec;
  bool is_active = true;  // until the last child has ended and the parent with it
  bool is_paused = false;
  bool is_stopping = false;  // draws no more
  bool is_used_up = false;   // every configuration of a finite space was drawn
  std::int64_t max_total = 0;
  std::optional<std::int64_t> max_concurrent;  // none: all at once
  Micros deadline = 0;
  std::optional<std::int64_t> space_size;  // none: infinite
  std::string message;
  bool has_told_metric = false;  // that nobody logs the primary metric
  std::optional<std::int64_t> best_trial;
  std::optional<double> best_value;
};

Status insert_sweep(Tx& tx, const SweepRow& sweep);
Status save_sweep(Tx& tx, const SweepRow& sweep);
Result<SweepRow> sweep_by_row(Tx& tx, std::int64_t run);
Result<std::vector<SweepRow>> active_sweeps(Tx& tx);
// Newest first, without those in the bin.
Result<std::vector<SweepRow>> list_sweeps(Tx& tx, std::string_view workspace, std::int64_t limit);

enum class TrialVerdict { kNone, kStop, kPause };

struct TrialRow {
  std::int64_t number = 0;
  Json parameters;
  std::string origin;               // the sampler that drew it, or "hand"
  std::optional<std::int64_t> run;  // row; none until it was submitted
  bool is_open = true;              // until the sweep has seen its end
  std::int64_t judged = 0;          // so many values of the primary metric the policy has looked at
  std::int64_t intervals = 0;       // so many it has logged that count, over all attempts that go on from one another
  std::optional<double> best;       // of those
  TrialVerdict verdict = TrialVerdict::kNone;
  std::string reason;               // for the verdict
  std::string source;               // id of the run that it goes on from
  std::int64_t inherited = 0;       // so many values of that one count as its own
  std::string content;              // or the manifest of what that one has left, which it is given as --resume-from
};

Status insert_trial(Tx& tx, std::int64_t sweep, const TrialRow& trial);
Status save_trial(Tx& tx, std::int64_t sweep, const TrialRow& trial);
Result<TrialRow> find_trial(Tx& tx, std::int64_t sweep, std::int64_t number);
// The trial whose run that is, of whichever sweep; none if it is no child of one.
Result<std::optional<TrialRow>> trial_of_run(Tx& tx, std::int64_t run);
// The best of those whose run is not in the bin; none if none of them has a value.
Result<std::optional<TrialRow>> best_shown_trial(Tx& tx, const SweepRow& sweep, bool largest);
// The number that the next trial gets.
Result<std::int64_t> count_trials(Tx& tx, std::int64_t sweep);

// A trial with what its run and its primary metric say now.
struct TrialFacts {
  TrialRow trial;
  std::string run_id;
  std::optional<RunStatus> status;  // none until it was submitted
  bool is_held = false;
  bool has_nodes = false;           // its attempt is open
  std::int64_t attempt = 0;
  Micros created = 0;
  std::optional<Micros> started;
  std::optional<Micros> ended;
  std::int64_t values = 0;  // of the primary metric in the newest attempt
  std::optional<double> last;
  std::string failure;  // the message of its error, if it failed
};

struct TrialFilter {
  std::int64_t sweep = 0;
  std::string metric;
  std::int64_t from = 0;  // number
  std::int64_t limit = INT64_MAX;
  bool open_only = false;
  bool bin_too = true;  // also those whose run is in the bin: a sweep that goes on counts them, people do not want to see them
};
// In the order of their numbers.
Result<std::vector<TrialFacts>> list_trials(Tx& tx, const TrialFilter& filter);

struct TrialCounts {
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t paused = 0;
  std::int64_t completed = 0;
  std::int64_t stopped = 0;  // by the policy
  std::int64_t failed = 0;
  std::int64_t canceled = 0;
};
// Without those whose run is in the bin.
Result<TrialCounts> count_trials_by_state(Tx& tx, std::int64_t sweep);

// Rows of those children's runs that have files in ./outputs on the server.
Result<std::vector<std::int64_t>> runs_with_outputs(Tx& tx, std::int64_t sweep);

// Names of the metrics that the sweep's children logged, at most `limit`.
Result<std::vector<std::string>> metrics_of_trials(Tx& tx, std::int64_t sweep, std::int64_t limit);

}  // namespace roost
