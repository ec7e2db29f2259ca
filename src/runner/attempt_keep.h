#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/attempt.h"
#include "runner/collect_outputs.h"
#include "runner/output_keeper.h"

namespace roost {

// The fifth hook: the files of ./outputs, those that settle while the run goes on and all of them at its end.
class AttemptKeep {
 public:
  // A run that is over before needs no thread that keeps its outputs meanwhile.
  static constexpr Micros kBeforeKept = 100'000;
  static constexpr Micros kForSpace = 60 * kSecond;  // for a server whose disk is full, before an output is given up

  explicit AttemptKeep(Attempt& attempt);

  // The processes were started just now.
  void begin();
  // While they run; starts to keep outputs once that is worth it.
  void go_on();
  // They have ended.
  void stop();

  bool has_outputs() const;
  // Sends all that the server lacks, into `outcome` with what could not be kept. A run that went well so far fails if
  // an output was lost. False if the attempt was given up meanwhile.
  bool collect(Outcome& outcome);
  // For the attempt that goes on elsewhere: the same, told at once and without a report.
  void save_outputs();
  // Files that the server took while the run went on, and that are not among `outputs`.
  std::vector<std::string> removed(const Json& outputs) const;

 private:
  OutputTree tree() const { return OutputTree(attempt_.code(), attempt_.launched); }

  Attempt& attempt_;
  Micros begun_ = 0;
  std::optional<OutputKeeper> keeper_;
  SpaceWait space_;
};

}  // namespace roost
