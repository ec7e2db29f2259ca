#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "records/sweep_records.h"
#include "sweeps/sweep_parts.h"
#include "sweeps/sweep_spec.h"
#include "sweeps/trial.h"

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
  LiveSweep(const SweepParts& parts, SweepSpec spec) : parts_(&parts), spec_(std::move(spec)) {}

  Status load_prior(Tx& tx);
  Status refresh(Tx& tx);
  Status note(Tx& tx, const TrialFacts& facts);
  Status read_values(Tx& tx, const TrialFacts& facts, Trial& trial);

  struct Decisions {
    std::vector<TrialRow> changed;
    std::vector<TrialRow> drawn;
    std::vector<std::pair<std::string, std::string>> stopped;  // run and reason
    bool used_up = false;
    bool stop = false;
    std::string message;
    std::optional<RunStatus> end;
    std::string log;
  };
  Decisions decide() const;
  bool decides_anything(const Decisions& decisions) const;
  bool all_children_ended() const;
  void judge_open(Decisions& decisions) const;
  void end_children(Decisions& decisions, const std::string& reason) const;
  void draw(Decisions& decisions) const;
  void conclude(Decisions& decisions) const;
  bool update_best();  // whether there is a new one
  Status write_down(Decisions& decisions);
  Status write_end(Tx& tx, SweepRow& row, const Decisions& decisions);
  void act(const Decisions& decisions);
  Status start_waiting();
  Status start(const TrialRow& row);
  void log(std::string_view part, std::string_view text, std::string& into) const;
  std::string child_id(std::int64_t number) const;
  std::string all_failed_message() const;
  bool nothing_but_failures() const;

  const SweepParts* parts_;
  SweepSpec spec_;
  SweepRow row_;
  Run parent_;
  std::vector<Trial> trials_;      // prior ones first, then its own by number
  std::size_t prior_ = 0;          // so many are of earlier sweeps
  std::vector<TrialRow> rows_;     // of its own, by number
  std::vector<TrialFacts> open_;   // those that had not ended at the last look
  std::vector<std::int64_t> attempts_;  // by number: which attempt the values are of
  Json first_error_;               // of the first child that failed
  std::string first_failed_;
  std::string refused_;            // why a child can never be started
};

}  // namespace roost
