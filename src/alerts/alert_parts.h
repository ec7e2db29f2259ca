#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/sealing.h"
#include "db/database.h"
#include "records/changes.h"

namespace roost {

// What alerts use. Thread-safe; outlives them.
struct AlertParts {
  Database& db;
  const Sealer& sealer;
  Changes& changes;
  const Clock& clock;
  std::string url;  // of this server, for links
  // How busy the busiest GPU of the run was since then, in percent, if that is known.
  std::function<Result<std::optional<double>>(Tx& tx, std::int64_t run, Micros since)> busiest_gpu;
  // The share of the data folder's disk that is free, 0 to 1.
  std::function<double()> free_share;
  double first_pause_seconds = 5;   // after the first try that failed; twice as long after each other
  double idle_gpu_seconds = 900;    // of GPUs without work, after which it is told
};

}  // namespace roost
