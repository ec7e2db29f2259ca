#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/attempt.h"

namespace roost {

// The one process that the MPI ranks of this node will be started by: mpirun on the first node, its daemon on another.
// What the ranks will be is written down for it.
Result<std::vector<LaunchProcess>> mpi_processes(const Attempt& attempt, const std::vector<LaunchProcess>& ranks,
                                                 const std::map<std::string, std::string>& common);

// The share of an attempt's node in an MPI run: its processes are started by mpirun on the first node, which asks for
// its daemons on the others by way of the server. Only for an attempt that has `mpi`.
class AttemptMpi {
 public:
  explicit AttemptMpi(Attempt& attempt) : attempt_(attempt) {}

  // On a node after the first: waits for the daemon's command and adds it. False if the attempt ended before.
  bool await_command(LaunchSpec& spec);
  // Between mpirun and the other nodes: what it asks of them, and what became of it.
  void relay();
  // The ends of ranks that were not noted yet, the first one first; that of mpirun or its daemon is kept.
  std::vector<ProcessEnd> take_ends(RunningProcesses& processes);
  // When all is over: tells the first node of the daemon's end, and what is to be said of mpirun itself if no process
  // can be blamed. `stopping_since` is when the processes here were told to end; 0 if they were not.
  void conclude(Outcome& outcome, Micros stopping_since);

 private:
  Attempt& attempt_;
  std::vector<MpiNode::Ask> asks_;          // not passed on yet
  std::optional<ProcessEnd> launcher_end_;  // of mpirun or its daemon
};

}  // namespace roost
