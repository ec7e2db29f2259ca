#pragma once

#include <map>
#include <set>
#include <stop_token>
#include <thread>

#include "base/wake.h"
#include "sweeps/live_sweep.h"
#include "sweeps/sweep_parts.h"

namespace roost {

// The thread that moves sweeps: it wakes when a run changes, and gives each active sweep a turn. One that fails is logged
// once and loaded anew, so that trouble with the disk passes and the others go on.
class SweepLoop {
 public:
  explicit SweepLoop(SweepParts parts) : parts_(std::move(parts)), waiter_(wake_) {}
  ~SweepLoop() { stop(); }

  void start();
  void stop();
  void wake() { wake_.notify(); }

  // One round over all active sweeps, as the thread takes it; whether there is any. For tests besides, and then before
  // start() or after stop() only.
  bool turn();

 private:
  void run(const std::stop_token& stop);
  Status turn_of(std::int64_t sweep);
  void report(std::int64_t sweep, const Error& error);

  SweepParts parts_;
  Wake wake_;
  Wake::Waiter waiter_;
  std::map<std::int64_t, LiveSweep> live_;
  std::map<std::int64_t, std::string> troubles_;  // what was logged of each
  ChangeHub::Subscription changed_;
  std::jthread thread_;
};

}  // namespace roost
