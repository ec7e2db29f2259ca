#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/database.h"
#include "domain/run_state.h"

namespace roost {

// What of a run matters while it waits for nodes or has them. Read without the rest of the run: queues
// are long.
struct QueueEntry {
  std::int64_t seq = 0;
  std::string id;
  std::string experiment;
  std::int64_t experiment_row = 0;
  std::string display_name;
  RunStatus status = RunStatus::kQueued;
  std::string compute;
  std::int64_t priority = 0;
  std::string user;
  std::int64_t attempt = 0;
  std::optional<Micros> started;
  std::optional<Micros> has_nodes_since;  // its attempt is open
  std::int64_t nodes = 1;
  std::string program;  // what it runs, without arguments
  std::optional<Micros> limit;
};

// The runs of a workspace that wait for nodes or have some, by compute (all if it is ""), the first to
// start in front.
Result<std::vector<QueueEntry>> queue_entries(Tx& tx, std::string_view workspace, std::string_view compute);

// Since when a run waits, this time.
Result<std::optional<Micros>> waiting_since(Tx& tx, std::int64_t run);

// A run that ended well at its first attempt.
struct EarlierRun {
  std::string compute;
  std::string program;
  std::int64_t nodes = 1;
  Micros took = 0;
};
// Of an experiment, the newest first.
Result<std::vector<EarlierRun>> earlier_runs(Tx& tx, std::int64_t experiment_row, std::int64_t limit);

}  // namespace roost
