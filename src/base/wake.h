#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace roost {

// Something changed that may allow a decision: whoever knows says so, and the loops that decide wake. Carries no data;
// a loop looks at the records again. Thread-safe.
class Wake {
 public:
  // Short, from any thread, also inside a transaction.
  void notify() {
    {
      const std::lock_guard lock(mutex_);
      ++notices_;
    }
    changed_.notify_all();
  }

  // One loop that waits. Every one of them sees every notice, and those that came since its last look at once. For one
  // thread.
  class Waiter {
   public:
    // The wake must outlive this.
    explicit Waiter(Wake& wake) : wake_(wake) {}

    // Until there is a notice, `limit` has passed or `stop` was requested. True if there was one; it is taken.
    bool wait_for(const std::stop_token& stop, std::chrono::nanoseconds limit) {
      std::unique_lock lock(wake_.mutex_);
      wake_.changed_.wait_for(lock, stop, limit, [this] { return wake_.notices_ != seen_; });
      return take_locked();
    }
    // For the whole time, unless `stop` is requested; what is notified meanwhile is there to be taken.
    void pause(const std::stop_token& stop, std::chrono::nanoseconds time) {
      std::unique_lock lock(wake_.mutex_);
      wake_.changed_.wait_for(lock, stop, time, [] { return false; });
    }
    bool take() {
      const std::lock_guard lock(wake_.mutex_);
      return take_locked();
    }

   private:
    bool take_locked() {
      const bool is_new = wake_.notices_ != seen_;
      seen_ = wake_.notices_;
      return is_new;
    }

    Wake& wake_;
    std::uint64_t seen_ = 0;
  };

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t notices_ = 0;
};

}  // namespace roost
