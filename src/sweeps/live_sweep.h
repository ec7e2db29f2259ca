#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "records/sweep_records.h"
#include "sweeps/decide_sweep.h"
#include "sweeps/suggester.h"
#include "sweeps/sweep_parts.h"
#include "sweeps/sweep_spec.h"
#include "sweeps/trial.h"
#include "sweeps/trial_series.h"

namespace roost {

inline constexpr std::string_view kSweepLog = "azureml-logs/hyperdrive.txt";

// An active sweep as its loop knows it: the records, and every value its children logged. take_turn() looks at what
// changed, decides, writes the decisions down and only then acts on them; so a server that is killed anywhere goes on
// with what was written. After an error it is to be loaded anew. For one thread.
class LiveSweep {
 public:
  // `parts` must outlive it.
  static Result<LiveSweep> load(const SweepParts& parts, std::int64_t sweep);

  Status take_turn();
  bool is_over() const { return !row_.is_active; }

 private:
  LiveSweep(const SweepParts& parts, SweepSpec spec)
      : parts_(&parts), spec_(std::move(spec)), suggester_(spec_.sampling, spec_.space, spec_.goal) {}

  Status load_prior(Tx& tx);
  Status refresh(Tx& tx);
  Status note(Tx& tx, const TrialFacts& facts);
  Status read_values(Tx& tx, const TrialFacts& facts, TrialSeries& series);
  bool update_best();  // whether there is a new one
  Status look_for_metric(Tx& tx);

  SweepView view();
  Status write_down(SweepDecisions& decisions, bool is_over);
  Status write_end(Tx& tx, SweepRow& row, const SweepDecisions& decisions);
  Status write_notice(Tx& tx);
  void tell(const SweepDecisions& decisions);
  void tell_of_environment();
  void carry_out();
  Status start_waiting();
  Status start(const TrialRow& row);
  void append_log(const std::vector<std::pair<std::string, std::string>>& lines) const;
  std::string child_id(std::int64_t number) const;

  const SweepParts* parts_;
  SweepSpec spec_;
  SweepRow row_;
  Run parent_;
  std::vector<Trial> trials_;      // prior ones first, then its own by number
  Suggester suggester_;            // knows them all
  std::size_t prior_ = 0;          // so many are of earlier sweeps
  std::vector<TrialRow> rows_;     // of its own, by number
  std::vector<TrialSeries> series_;  // as many
  std::vector<TrialFacts> open_;   // those that had not ended at the last look
  std::set<std::int64_t> checkpoints_;  // rows of runs with something in ./outputs, where the policy needs to know
  Json first_error_;               // of the first child that failed
  std::string first_failed_;
  std::string refused_;            // why a child can never be started
  std::string notice_;             // to be put on the parent
  bool has_told_preparing_ = false;
  bool has_told_prepared_ = false;
  std::size_t first_waiting_ = 0;  // those before it have been started
};

}  // namespace roost
