#include "prepare/environment_look.h"

#include <unistd.h>

#include "base/inside_write.h"

namespace roost {

void EnvironmentLook::look_at_program(const std::string& path) {
  check_outside_write("looks for a program");
  programs_[path] = ::access(path.c_str(), X_OK) == 0;
}

bool EnvironmentLook::runs(const std::string& path) const {
  const auto it = programs_.find(path);
  if (it != programs_.end()) return it->second;
  programs_missing_.insert(path);
  return false;
}

std::optional<CachedEnvironment> EnvironmentLook::cached(const std::string& digest) const {
  const auto it = digests_.find(digest);
  if (it == digests_.end()) {
    digests_missing_.insert(digest);
    return std::nullopt;
  }
  // Whoever removes one takes it out of the cache in a transaction of its own: what is there now stays for this run.
  return it->second && cache_.has(digest) ? it->second : std::nullopt;
}

void EnvironmentLook::look_at_missing(Micros now) {
  for (const auto& path : programs_missing_) look_at_program(path);
  for (const auto& digest : digests_missing_) digests_[digest] = cache_.find(digest, now);
  programs_missing_.clear();
  digests_missing_.clear();
}

}  // namespace roost
