#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

#include "schedule/plan_memory.h"
#include "schedule/share_machine.h"
#include "server/app.h"
#include "server/queue_mirror.h"

namespace roost {

// The one thread that moves things nobody asked for just now: it matches the queue with nodes, grows
// and shrinks computes, notices lost nodes and time limits. Everything it decides by is in the
// database, so it carries on after a restart as if nothing had happened.
class ControlLoop {
 public:
  explicit ControlLoop(App& app) : app_(app) {}
  ~ControlLoop() { stop(); }

  void start();
  void stop();
  // Something changed that may allow a decision. Any thread.
  void wake();

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
  void watch_nodes();
  void watch_deadlines();
  void watch_stopping();
  void add_nodes(const Compute& compute, std::int64_t count);
  void lose_node(const Node& node, const std::string& reason);

  App& app_;
  QueueMirror queues_;
  PlanMemory memory_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool woken_ = false;
  // When a compute whose node could not be started may try again.
  std::map<std::string, Micros> not_before_;
  std::jthread thread_;
};

}  // namespace roost
