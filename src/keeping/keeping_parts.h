#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "db/database.h"
#include "records/changes.h"

namespace roost {

// What the loop that keeps the data folder small uses, in place of rooms that it must not know. Thread-safe; outlives it.
struct KeepingParts {
  Database& db;
  Changes& changes;
  const Clock& clock;
  // Removes all logs of a run; how many bytes. Removing what is not there is no error.
  std::function<Result<std::uint64_t>(const std::string& run)> remove_logs;
  // The share of the data folder's disk that is free, 0 to 1.
  std::function<double()> free_share;
  // Begins a garbage collection unless one is under way.
  std::function<void()> collect_garbage;
  std::int64_t bin_seconds = 0;  // how long runs stay in the bin; 0: for ever
};

}  // namespace roost
