#pragma once

#include "runner/attempt.h"
#include "runner/attempt_keep.h"
#include "runner/attempt_stream.h"

namespace roost {

// The last hook: hands in what the processes left and says how they ended.
class AttemptReport {
 public:
  AttemptReport(Attempt& attempt, AttemptStream& stream, AttemptKeep& keep)
      : attempt_(attempt), stream_(stream), keep_(keep) {}

  // The rest of the streams, then the outputs, then the report, each until the server has it: nothing of the attempt
  // goes before. Ends early once the attempt was given up. On a joined node that is taken away there is no report.
  void hand_in(Outcome& outcome);

 private:
  void note_eviction(Outcome& outcome);
  void tell_exited(const Outcome& outcome);
  void send_report(Outcome& outcome);
  Json report_of(const Outcome& outcome) const;
  Json rank_reports() const;

  Attempt& attempt_;
  AttemptStream& stream_;
  AttemptKeep& keep_;
};

}  // namespace roost
