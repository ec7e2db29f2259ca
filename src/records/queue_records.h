#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "domain/queued_run.h"

namespace roost {

// What the scheduler reads, in few columns: queues may be long.

struct WaitingRun {
  std::string workspace;
  std::string compute;
  QueuedRun run;
};
// All runs that wait for nodes.
Result<std::vector<WaitingRun>> read_queue(Tx& tx);

// The newest event of any run, 0 if there is none: whatever changes a queue writes one, but for the start
// of an attempt.
Result<std::int64_t> last_event(Tx& tx);

struct QueueChange {
  std::int64_t run = 0;
  std::optional<WaitingRun> waits;  // nothing: it does not wait any more
};
// What became of the runs that had events after `event`.
Result<std::vector<QueueChange>> queue_changes(Tx& tx, std::int64_t event);

struct PlacedRun {
  std::string workspace;
  std::string compute;
  RunningRun run;
};
// All runs that have nodes.
Result<std::vector<PlacedRun>> placed_runs(Tx& tx);

// One node that a run of a user had, until now if it still has it.
struct NodeUse {
  std::string workspace;
  std::string compute;
  std::string user;
  Micros from = 0;
  std::optional<Micros> to;
};
// Those that ended after `since` or have not ended. Reads all parts of attempts there ever were.
Result<std::vector<NodeUse>> node_uses(Tx& tx, Micros since);

// The runs that wait for this compute, by row: what they ask for and on how many nodes.
Result<std::map<std::int64_t, QueuedRun>> asking_runs(Tx& tx, std::string_view workspace, std::string_view compute);

// How many nodes the runs that wait for this compute want; not counted further than `most`.
Result<std::int64_t> nodes_wanted(Tx& tx, std::string_view workspace, std::string_view compute, std::int64_t most);
// How many runs of this compute have not ended, in whatever state.
Result<std::int64_t> count_active(Tx& tx, std::string_view workspace, std::string_view compute);

}  // namespace roost
