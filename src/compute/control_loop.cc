#include "compute/control_loop.h"

#include <time.h>

#include <algorithm>
#include <chrono>

#include "base/log.h"
#include "base/report_error.h"

namespace roost {
namespace {

constexpr auto kTick = std::chrono::milliseconds(250);
constexpr auto kLongCycle = std::chrono::milliseconds(10);

// Planning is what must not take too much: waiting for the disk costs nobody anything.
std::chrono::nanoseconds cpu_time_of_this_thread() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void take(const LoopDuties::Duty& duty) { take_turn(duty.first, duty.second); }

}  // namespace

void ControlLoop::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void ControlLoop::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

std::chrono::nanoseconds ControlLoop::turn() {
  note_time();
  if (clock_.steady() >= next_watch_) {
    for (const auto& watch : duties_.watches) take(watch);
    next_watch_ = clock_.steady() + std::chrono::microseconds(kTick).count();
  }
  const auto began = cpu_time_of_this_thread();
  take(duties_.schedule);
  return cpu_time_of_this_thread() - began;
}

void ControlLoop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    waiter_.wait_for(stop, kTick);
    if (stop.stop_requested()) return;
    const auto took = turn();
    if (took < kLongCycle) continue;
    // However long a queue is and however often it changes, planning takes a part of one core only.
    waiter_.pause(stop, std::min<std::chrono::nanoseconds>(3 * took, 2 * kTick));
  }
}

void ControlLoop::note_time() {
  if (!serving_.tick()) return;
  log_warning("the server stood still for a while; every node has its full time to be heard again");
  nodes_.forgive_silence();
}

}  // namespace roost
