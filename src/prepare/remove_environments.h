#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "db/database.h"
#include "prepare/environment_cache.h"

namespace roost {

// Takes an environment out of the cache, unless a run that has not ended uses it.
Status remove_environment(Database& db, EnvironmentCache& cache, const std::string& digest);

struct PrunedEnvironments {
  std::int64_t removed = 0;
  std::uint64_t bytes = 0;
  std::uint64_t left = 0;  // bytes of those that stay
};
// Takes out what no run uses and nobody has used since `oldest`, the longest unused first, until what is left has at
// most `keep` bytes; 0: all of it.
Result<PrunedEnvironments> prune_environments(Database& db, EnvironmentCache& cache, Micros oldest, std::int64_t keep);

}  // namespace roost
