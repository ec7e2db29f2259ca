#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "records/sweep_records.h"
#include "sweeps/suggester.h"
#include "sweeps/sweep_spec.h"
#include "sweeps/trial.h"

namespace roost {

// A sweep as it stands: everything that a decision goes by.
struct SweepView {
  const SweepSpec& spec;
  const SweepRow& row;
  std::string id;                      // of the parent
  RunStatus status;                    // of the parent
  Micros now = 0;
  std::vector<Trial>& trials;          // those of earlier sweeps first, then its own by number; what is drawn is added
  Suggester& suggester;                // knows them all; and what is drawn
  std::size_t prior = 0;               // so many are of earlier sweeps
  const std::vector<TrialRow>& rows;   // of its own, by number
  const std::vector<TrialFacts>& open; // those whose end was not seen yet
  const std::set<std::int64_t>& checkpoints;  // rows of runs that have something in ./outputs, where the policy needs it
  std::string first_failed;            // id of the first child that failed
  Json first_error;
  std::string refused;                 // why a child can never be started
};

// What is to be written down. What children must hear follows from their rows alone (LiveSweep::carry_out).
struct SweepDecisions {
  std::vector<TrialRow> changed;
  std::vector<TrialRow> drawn;
  bool used_up = false;
  bool stop = false;
  std::string message;
  std::optional<RunStatus> end;
  std::vector<std::pair<std::string, std::string>> log;  // part and text

  bool is_anything(const SweepView& view) const;
};

// Ends, judges, resumes and draws trials, and ends the sweep. A function of the view alone.
SweepDecisions decide_sweep(const SweepView& view);

bool has_ended(const TrialFacts& facts);
TrialState state_of(const TrialFacts& facts);
bool all_children_ended(const SweepView& view);

}  // namespace roost
