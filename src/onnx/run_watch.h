#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace roost {

// Calls a function when a time has come, unless whoever asked for it is done before: how runs are cut off. One thread
// for all, which sleeps until the first of them; asking and being done cost no wake-up. Thread-safe.
class RunCutoff {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Entries = std::multimap<Time, std::function<void()>>;

  RunCutoff();
  ~RunCutoff();

  // Once this is gone the function is not called any more.
  class Guard {
   public:
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    friend class RunCutoff;
    Guard(RunCutoff& watch, Entries::iterator entry) : watch_(watch), entry_(entry) {}
    RunCutoff& watch_;
    Entries::iterator entry_;
  };
  // `expired` is called on the watch's thread and must be short; it must not ask for another.
  [[nodiscard]] Guard watch(Time time, std::function<void()> expired);

 private:
  void loop(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  Entries entries_;
  Time sleeping_until_ = Time::max();
  std::jthread thread_;
};

}  // namespace roost
