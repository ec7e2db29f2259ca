#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

#include <signal.h>

#include "base/files.h"

namespace roost {

// While it lives, Ctrl-C, SIGTERM and SIGHUP ask to stop instead of ending the process; a second
// one ends it at once. The signals are taken by a thread of its own, so callbacks of the
// token may lock and allocate. Threads made after it inherit its signal mask.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  int signal() const { return signal_; }  // 0 when none came

 private:
  void watch();

  sigset_t before_;
  Fd signals_;
  Fd ending_;
  std::stop_source source_;
  std::atomic<int> signal_ = 0;
  std::thread thread_;
};

}  // namespace roost
