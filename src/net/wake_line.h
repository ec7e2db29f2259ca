#pragma once

#include <functional>
#include <mutex>

namespace roost {

// From whoever has news for a stream to the connection that sends it. The wake function holds it
// weakly and may be called on any thread, even after the connection and the server are gone.
class WakeLine {
 public:
  // `ring` is called once for many wake()s, until rearm().
  explicit WakeLine(std::function<void()> ring);

  void wake();
  // Forgets the wakes so far; returns whether there were any.
  bool rearm();
  bool woken() const;
  // After it `ring` is never called again, nor being called.
  void cut();

 private:
  mutable std::mutex mutex_;
  std::function<void()> ring_;
  bool woken_ = false;
};

}  // namespace roost
