#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace roost {

// A thread that serves connections, as those see it who work on it without blocking (LaterHandler).
class Loop {
 public:
  virtual ~Loop() = default;

  // Has `job` called on the loop's thread, soon. Any thread.
  virtual void post(std::function<void()> job) = 0;

  // Ends the waiting when it is destroyed. On the loop's thread.
  class Timer {
   public:
    virtual ~Timer() = default;
  };
  // Has `job` called once after that time, unless the timer is destroyed before. On the loop's thread.
  [[nodiscard]] virtual std::unique_ptr<Timer> after(std::chrono::milliseconds time, std::function<void()> job) = 0;
};

}  // namespace roost
