#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>

namespace roost {

// Which blobs somebody was told of lately and may be about to name: those are not removed, whatever the
// records say. One is leased for a time after each touch, and until the end of a sweep that was under way.
// By the monotonic clock. Not thread-safe.
class BlobLeases {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit BlobLeases(std::chrono::seconds lease) : lease_(lease) {}

  std::chrono::seconds lease() const { return lease_; }
  void touch(const std::string& digest, Time now) {
    touched_[digest] = now;
    if (touched_.size() < forget_at_) return;
    const Time since = oldest(now);
    std::erase_if(touched_, [&](const auto& entry) { return entry.second < since; });
    forget_at_ = std::max<std::size_t>(10'000, touched_.size() * 2);
  }
  bool has(const std::string& digest, Time now) const {
    const auto found = touched_.find(digest);
    return found != touched_.end() && found->second >= oldest(now);
  }
  void begin_sweep(Time now) { sweep_began_ = now; }
  void end_sweep() { sweep_began_.reset(); }

 private:
  Time oldest(Time now) const {
    // Without a lease a touch still counts for a sweep that begins in the same moment.
    const Time leased = lease_.count() > 0 ? now - lease_ : now;
    return sweep_began_ ? std::min(leased, *sweep_began_) : leased;
  }

  const std::chrono::seconds lease_;
  std::unordered_map<std::string, Time> touched_;
  std::optional<Time> sweep_began_;
  std::size_t forget_at_ = 10'000;
};

}  // namespace roost
