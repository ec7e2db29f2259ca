#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "builders/build_order.h"

namespace roost {

struct CachedEnvironment {
  std::string digest;
  std::filesystem::path folder;
  BuiltEnvironment built;
  std::uint64_t size = 0;
  Micros created = 0;
  Micros used = 0;
};
Json cached_environment_json(const CachedEnvironment& environment);

// The environments of this machine, by the digest of their plan. An environment is in the cache when
// its index file is; that is written last, so a build that died leaves nothing that looks usable, and
// open() removes what it left. Thread-safe.
class EnvironmentCache {
 public:
  static Result<std::unique_ptr<EnvironmentCache>> open(const std::filesystem::path& folder);

  // Also notes that it was used now.
  std::optional<CachedEnvironment> find(const std::string& digest, Micros now);
  // Without counting as a use, and without looking at files.
  bool has(const std::string& digest) const;
  std::vector<CachedEnvironment> list() const;

  // A folder for a build, which does not exist yet. Virtual environments know their own path, so this
  // is where it stays.
  std::filesystem::path new_folder(const std::string& digest) const;
  Status keep(const std::string& digest, const std::filesystem::path& folder,
              const BuiltEnvironment& built, Micros now);

  // Removing one takes two steps. It is taken out in the transaction that made sure that no run needs it, which touches
  // no file; runs find it no more. If that transaction fails it is put back; else its files go, and what a crash
  // leaves of them is whole, or is removed by open().
  Result<CachedEnvironment> take_out(const std::string& digest);
  void put_back(CachedEnvironment environment);
  Status remove_files(const CachedEnvironment& environment);

  std::filesystem::path log_file(const std::string& digest) const;

 private:
  explicit EnvironmentCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path index_file(const std::string& digest) const;
  Status write_index(const CachedEnvironment& environment) const;
  std::optional<CachedEnvironment> known(const std::string& digest) const;

  std::filesystem::path folder_;
  std::mutex index_mutex_;  // whoever changes index files; before mutex_
  mutable std::mutex mutex_;  // held for moments only: transactions wait for it
  std::map<std::string, CachedEnvironment> known_;
};

}  // namespace roost
