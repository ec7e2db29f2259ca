#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/json.h"

namespace roost {

// What an attempt is told while it is under way: by orders of the server, by its node, or by one of its own hooks that
// heard it was given up. Whoever tells something wakes whoever waits for wake_fd(). Nothing is ever taken back. Calls
// are thread-safe.
class AttemptOrders {
 public:
  AttemptOrders();

  // SIGTERM to everything the attempt runs, SIGKILL after the grace.
  void cancel(int grace_seconds);
  // A process of the run failed, here or elsewhere, or a node was lost: SIGTERM, and SIGKILL after the grace.
  void stop(int grace_seconds);
  // The server wants nothing more of this attempt: end it at once.
  void abandon();
  // There is no more time to send what is left: it stays on the disk.
  void stop_sending();
  // Every node of the run is ready: these are their facts, by node rank.
  void go(const Json& nodes);
  // MPI: mpirun on the first node wants this command to be started here.
  void exec(const std::string& command);
  // MPI: the command that was asked for on another node ended.
  void command_ended(const std::string& node, int exit_code);

  bool is_abandoned() const { return abandoned_; }
  const std::atomic<bool>& abandoned() const { return abandoned_; }  // for those who wait for something else
  bool is_kept() const { return kept_; }                             // stop_sending() was called
  bool is_canceled() const { return cancel_grace_ >= 0; }
  bool is_stopped() const { return stop_grace_ >= 0; }
  int cancel_grace() const { return cancel_grace_; }  // -1 if it was not canceled
  int stop_grace() const { return stop_grace_; }      // -1 if it was not stopped
  bool is_to_end() const { return is_abandoned() || is_canceled() || is_stopped(); }
  Json nodes() const;                         // what go() brought; null before
  std::optional<std::string> command() const;  // what exec() brought
  // What command_ended() brought since the last call.
  std::vector<std::pair<std::string, int>> take_ended_commands();

  // Readable once something was told; for poll(2), after which drain() makes it wait again.
  int wake_fd() const { return wake_.get(); }
  void drain() const;

 private:
  void wake() const;

  std::atomic<bool> abandoned_ = false;
  std::atomic<bool> kept_ = false;
  std::atomic<int> cancel_grace_ = -1;
  std::atomic<int> stop_grace_ = -1;
  mutable std::mutex mutex_;
  Json nodes_;
  std::optional<std::string> command_;
  std::vector<std::pair<std::string, int>> ended_commands_;
  Fd wake_;
};

}  // namespace roost
