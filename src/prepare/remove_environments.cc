#include "prepare/remove_environments.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "records/run_records.h"

namespace roost {
namespace {

// Runs that have not ended hold on to their environment. Called in a write transaction: no run can
// choose one meanwhile.
Result<std::set<std::string>> in_use(Tx& tx) {
  std::set<std::string> used;
  ROOST_TRY(const auto active, active_runs(tx));
  for (const auto& run : active) {
    if (run.environment.is_object()) used.insert(text_at(run.environment, "digest"));
  }
  return used;
}

// Environments on their way out: taken from the cache in a write transaction, removed after it.
class Removal {
 public:
  explicit Removal(EnvironmentCache& cache) : cache_(cache) {}
  ~Removal() {
    for (auto& one : taken_) cache_.put_back(std::move(one));
  }
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;

  Status take_out(const std::string& digest) {
    ROOST_TRY(CachedEnvironment one, cache_.take_out(digest));
    taken_.push_back(std::move(one));
    return {};
  }
  // The transaction is on disk. All of them, whatever fails.
  Status finish() {
    Status all;
    for (const auto& one : std::exchange(taken_, {})) {
      if (const Status removed = cache_.remove_files(one); !removed && all) all = removed;
    }
    return all;
  }

 private:
  EnvironmentCache& cache_;
  std::vector<CachedEnvironment> taken_;
};

}  // namespace

Status remove_environment(Database& db, EnvironmentCache& cache, const std::string& digest) {
  Removal removal(cache);
  ROOST_CHECK(db.write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto used, in_use(tx));
    if (used.contains(digest)) {
      return fail(ErrorCode::kFailedPrecondition,
                  "a run that has not ended uses this environment; cancel it or wait");
    }
    return removal.take_out(digest);
  }));
  return removal.finish();
}

Result<PrunedEnvironments> prune_environments(Database& db, EnvironmentCache& cache, Micros oldest, std::int64_t keep) {
  PrunedEnvironments pruned;
  Removal removal(cache);
  ROOST_CHECK(db.write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto used, in_use(tx));
    auto all = cache.list();
    // The longest unused go first, until the rest fits.
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.used < b.used; });
    for (const auto& one : all) pruned.left += one.size;
    for (const auto& one : all) {
      if (used.contains(one.digest) || one.used > oldest) continue;
      if (keep > 0 && pruned.left <= static_cast<std::uint64_t>(keep)) break;
      ROOST_CHECK(removal.take_out(one.digest));
      ++pruned.removed;
      pruned.bytes += one.size;
      pruned.left -= one.size;
    }
    return {};
  }));
  ROOST_CHECK(removal.finish());
  return pruned;
}

}  // namespace roost
