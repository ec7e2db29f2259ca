#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace roost {

// What a file looks like from outside. Whoever writes into it changes this.
struct FileLooks {
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  bool operator==(const FileLooks&) const = default;
};
inline FileLooks looks_of(const struct stat& info) {
  return {info.st_ino, info.st_size, info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
}

// The blobs whose bytes this process has seen to be right, by how their files looked then, and how many
// others may be read through for that just now. Not thread-safe.
class KnownBlobs {
 public:
  enum class Seen { kNever, kSame, kChanged };
  Seen seen(const std::string& digest, const FileLooks& looks) const {
    const auto found = known_.find(digest);
    if (found == known_.end()) return Seen::kNever;
    return found->second == looks ? Seen::kSame : Seen::kChanged;
  }
  void add(const std::string& digest, const FileLooks& looks) {
    if (known_.size() >= kMost) known_.clear();
    known_[digest] = looks;
  }
  void forget(const std::string& digest) { known_.erase(digest); }

  // Whether there is time to read so many bytes through for a question that wants a quick answer.
  bool may_read(std::int64_t bytes, std::chrono::steady_clock::time_point now) {
    const double passed = std::chrono::duration<double>(now - refilled_).count();
    refilled_ = now;
    left_ = std::min(kPerSecond, left_ + std::max(0.0, passed) * kPerSecond);
    if (left_ < static_cast<double>(bytes)) return false;
    left_ -= static_cast<double>(bytes);
    return true;
  }

 private:
  static constexpr std::size_t kMost = 500'000;
  static constexpr double kPerSecond = 64 << 20;

  std::unordered_map<std::string, FileLooks> known_;
  std::chrono::steady_clock::time_point refilled_ = std::chrono::steady_clock::now();
  double left_ = kPerSecond;
};

}  // namespace roost
