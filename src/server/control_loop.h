#pragma once

#include <map>
#include <stop_token>
#include <thread>

#include "schedule/plan_memory.h"
#include "schedule/share_machine.h"
#include "base/ages.h"
#include "server/app.h"
#include "server/queue_mirror.h"

namespace roost {

// The one thread that moves things nobody asked for just now: it matches the queue with nodes, grows
// and shrinks computes, notices lost nodes and time limits. Wake wakes it. Everything it decides by is in the
// database, so it carries on after a restart as if nothing had happened. How long something has been so is counted
// in ServingTime.
class ControlLoop {
 public:
  explicit ControlLoop(App& app) : app_(app) {}
  ~ControlLoop() { stop(); }

  void start();
  void stop();

 private:
  // Who has to hear of what was decided, by id.
  struct Changed {
    std::vector<std::string> nodes;
    std::vector<std::string> runs;
    std::vector<std::int64_t> started;  // rows of runs
  };
  void run(std::stop_token stop);
  void schedule();
  std::vector<ComputePlan> look();
  std::vector<Preemption> plan(std::vector<ComputePlan>& computes, Micros now);
  Status carry_out(Tx& tx, const ComputePlan& computes, Micros now, Changed& changed);
  Status take_nodes(Tx& tx, const Preemption& preemption, Micros now, Changed& changed);
  void note_time();
  // control_watch.cc
  void watch_nodes();
  void watch_node(const Node& node);
  void mark_silent_runs(const Node& node);
  void note_eviction(const Node& node);
  void watch_deadlines();
  void end_late_run(std::int64_t run);
  void watch_stopping();
  void watch_parts();
  void watch_canceled();
  void add_nodes(const Compute& compute, std::int64_t count);
  void lose_node(const Node& node, const std::string& reason);

  App& app_;
  QueueMirror queues_;
  PlanMemory memory_;
  // How long a node that could not be started stays to be seen, and until its compute tries again.
  static constexpr Micros kStartPause = 5 * kSecond;
  // When a compute whose node could not be started may try again; ServingTime, as all times that decide here.
  std::map<std::string, Micros> not_before_;
  Ages ages_{app_.serving};
  // When runs with a time limit are due, by row, with the deadline that was stored.
  struct Due {
    Micros deadline = 0;
    Micros at = 0;
  };
  std::map<std::int64_t, Due> due_;
  bool has_seen_deadlines_ = false;
  std::jthread thread_;
};

}  // namespace roost
