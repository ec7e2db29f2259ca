#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/serving_time.h"
#include "base/wake.h"
#include "records/node_watch.h"

namespace roost {

// What the control loop does, each piece by the folder that knows how: the object graph fills it in. The names are for
// the log.
struct LoopDuties {
  using Duty = std::pair<const char*, std::function<void()>>;
  std::vector<Duty> watches;  // a few times a second, whatever happens
  Duty schedule;              // whenever something changed
};

// The one thread that moves things nobody asked for just now: it decides when, and keeps ServingTime. A duty that
// throws is logged, and its next turn comes.
class ControlLoop {
 public:
  // Everything given must outlive it.
  ControlLoop(ServingTime& serving, NodeWatch& nodes, Wake& wake, const Clock& clock, LoopDuties duties)
      : serving_(serving), nodes_(nodes), waiter_(wake), clock_(clock), duties_(std::move(duties)),
        next_watch_(clock.steady()) {}
  ~ControlLoop() { stop(); }

  void start();
  void stop();

  // One turn, as the thread takes it when it wakes; how long scheduling kept the CPU. For tests besides, and then
  // before start() or after stop() only.
  std::chrono::nanoseconds turn();

 private:
  void run(const std::stop_token& stop);
  void note_time();

  ServingTime& serving_;
  NodeWatch& nodes_;
  Wake::Waiter waiter_;
  const Clock& clock_;
  const LoopDuties duties_;
  Micros next_watch_;
  std::jthread thread_;
};

}  // namespace roost
