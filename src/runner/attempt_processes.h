#pragma once

#include <memory>
#include <optional>

#include "runner/attempt.h"
#include "runner/attempt_mpi.h"
#include "runner/cgroup.h"
#include "runner/stop_plan.h"

namespace roost {

// The third hook: starts the processes of the attempt, sees to their end, and knows how each of them ended. Writes the
// ends into the attempt's `ranks`, and the first failure into `failure`. If one process of several fails, the others are
// stopped.
class AttemptProcesses {
 public:
  explicit AttemptProcesses(Attempt& attempt, Launch launch = launch_processes);

  // False if none was started: they cannot be, which `outcome` says then, or the attempt was told to end before.
  bool start(Outcome& outcome);
  // To be called whenever report_fd() or the attempt's orders have something, and when until_due() has passed: takes
  // note of ends, and ends who has to end. False once nothing runs any more.
  bool go_on(Outcome& outcome);
  // When all is over: what is still to be said of ranks that left no word, of memory, and of mpirun.
  void conclude(Outcome& outcome);

  int report_fd() const { return running_->report_fd(); }
  // When go_on() has to be called at the latest, by the monotonic clock.
  std::optional<Micros> next_kill() const { return plan_.next_kill(); }
  // Between mpirun and the other nodes; nothing if this is no MPI run.
  void relay();

 private:
  void open_side_door(const LaunchSpec& spec);
  // How it holds the run to the CPUs and the memory that it asked for.
  void tell_enforced();
  // Takes note of processes that ended; true if one failed and the others have to end now.
  bool note_ends(Outcome& outcome);

  Attempt& attempt_;
  const Launch launch_;
  const Limits limits_;
  std::optional<AttemptMpi> mpi_;
  std::optional<RunCgroup> group_;
  std::unique_ptr<RunningProcesses> running_;
  StopPlan plan_;
  Micros stopping_since_ = 0;  // when the processes here were told to end, by the wall clock
  std::int64_t kills_before_ = 0;
};

}  // namespace roost
