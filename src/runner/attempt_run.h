#pragma once

#include "runner/attempt.h"
#include "runner/attempt_keep.h"
#include "runner/attempt_processes.h"
#include "runner/attempt_stream.h"
#include "runner/hang_watch.h"
#include "runner/run_usage.h"

namespace roost {

// One attempt of a run on this node, from staging to the report: all its processes here, or its share
// of them if the run has several nodes. run() must be called on the runner's main thread; all else
// may be called by others.
class AttemptRun {
 public:
  // `settings` and `clock` must outlive it.
  AttemptRun(const NodeSettings& settings, const Clock& clock, Json order);

  // The hooks in their order: stage inputs -> meet the other nodes -> launch -> stream while it runs -> keep outputs
  // -> report -> clean up. Goes on however long the server is away. Ends without a report once the attempt was given
  // up.
  void run();

  // What the attempt is told meanwhile.
  AttemptOrders& orders() { return attempt_.orders; }

  // Where its Python processes are now; empty while none run.
  Json take_stacks() const;
  // How busy its processes and its GPUs are.
  Json sample(RunUsage& usage) const;
  // By which somebody gets in while its processes live.
  const SideDoor& side_door() const { return attempt_.side_door; }
  // For how long it has got nowhere (HangWatch), as far as one can tell by calling this every few seconds, always on
  // the same thread. May take half a second.
  double idle_seconds();

  const std::string& run_id() const { return attempt_.run_id; }
  std::int64_t attempt() const { return attempt_.number; }
  int node_rank() const { return attempt_.node_rank; }

 private:
  void follow(Outcome& outcome);
  // Until there is something to do for the processes, the streams, or by an order.
  void wait(const AttemptProcesses& processes);
  void clean_up();
  void remove(const std::filesystem::path& folder);

  Attempt attempt_;
  AttemptStream stream_;
  AttemptKeep keep_;
  HangWatch watch_;
};

}  // namespace roost
