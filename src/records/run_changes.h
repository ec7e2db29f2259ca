#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace roost {

// Which runs changed lately, in order, for those who show many of them. Thread-safe.
class RunChanges {
 public:
  void add(const std::string& run) {
    const std::lock_guard lock(mutex_);
    // A run that trains changes many times a second; once in a row is enough.
    if (!recent_.empty() && recent_.back() == run && unread_) return;
    recent_.push_back(run);
    if (recent_.size() > kMost) {
      recent_.pop_front();
      ++first_;
    }
    unread_ = true;
  }

  std::uint64_t now() const {
    const std::lock_guard lock(mutex_);
    unread_ = false;
    return first_ + recent_.size();
  }

  // The runs that changed since `cursor`, each once, and moves the cursor. Nothing if it is too long ago to tell.
  std::optional<std::vector<std::string>> since(std::uint64_t& cursor) const {
    const std::lock_guard lock(mutex_);
    const std::uint64_t from = cursor;
    cursor = first_ + recent_.size();
    unread_ = false;
    if (from < first_) return std::nullopt;
    std::vector<std::string> runs;
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = from - first_; i < recent_.size(); ++i) {
      if (seen.insert(recent_[i]).second) runs.push_back(recent_[i]);
    }
    return runs;
  }

 private:
  static constexpr std::size_t kMost = 10'000;
  mutable std::mutex mutex_;
  std::deque<std::string> recent_;
  std::uint64_t first_ = 0;      // what the front of recent_ counts as
  mutable bool unread_ = false;  // nobody has looked since the last one was added
};

}  // namespace roost
