#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "prepare/environment_cache.h"

namespace roost {

// What preparing a run has to know of this machine's files, for its transaction, which must not look at them: what was
// looked at before is told, what was not is noted, so that it can be looked at outside and the transaction tried again.
// For one thread at a time; runs() and cached() may be asked on another one than the rest.
class EnvironmentLook {
 public:
  // The cache must outlive this.
  explicit EnvironmentLook(EnvironmentCache& cache) : cache_(cache) {}

  // Looks at once, to spare a second try.
  void look_at_program(const std::string& path);

  // Whether this program can be run here. False also if it was not looked at.
  bool runs(const std::string& path) const;
  // None also if it was not looked at, or if it was removed from the cache since.
  std::optional<CachedEnvironment> cached(const std::string& digest) const;

  bool is_incomplete() const { return !programs_missing_.empty() || !digests_missing_.empty(); }
  Status incomplete() const { return fail(ErrorCode::kInternal, "the environment has to be looked at first"); }
  // Counts as a use of what is in the cache.
  void look_at_missing(Micros now);

 private:
  EnvironmentCache& cache_;
  std::map<std::string, bool> programs_;
  std::map<std::string, std::optional<CachedEnvironment>> digests_;
  mutable std::set<std::string> programs_missing_;
  mutable std::set<std::string> digests_missing_;
};

}  // namespace roost
