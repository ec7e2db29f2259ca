#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "front/routing_table.h"
#include "net/loop.h"

namespace roost {

// A replica that requests can be sent to. Whoever was given one gives it back to its queue.
struct FrontReplica {
  TableReplica place;
  std::int64_t in_flight = 0;
  bool is_avoided = false;  // it could not be connected to, a moment ago
  std::uint64_t used = 0;   // when it was given last, as a number of turns
  std::unique_ptr<Loop::Timer> avoid_timer = {};
};

// The replicas of a deployment, and the requests that wait for one of them: in the order in which they came, each for
// as long as it may. All on the loop's thread.
class ReplicaQueue {
 public:
  struct Settings {
    std::int64_t max_concurrent = 1;  // of each replica; 0: any number
    std::int64_t limit = 256;         // requests that may wait while all are busy
    std::chrono::milliseconds wait{500};
    std::chrono::milliseconds hold{60'000};  // how long they wait for a first replica to start
    bool is_starting = false;
  };
  // Why there is no replica to be had.
  enum class Refusal { kNone, kNoReplica, kQueueFull, kBusyTooLong, kStartsTooLong, kUnreachable, kStopping };
  // With a replica, or with why not.
  using Ready = std::function<void(std::shared_ptr<FrontReplica>, Refusal)>;
  struct Waiter;
  using Ticket = std::weak_ptr<Waiter>;

  explicit ReplicaQueue(Loop& loop) : loop_(loop) {}
  ~ReplicaQueue();

  // What the table says now. Replicas that are in it already keep their count.
  void set(const Settings& settings, const std::vector<TableReplica>& replicas);
  // Calls `ready` once: before this returns if it can be told, else later. The ticket is for abandon() until then.
  Ticket take(Ready ready);
  // The request is answered, or was not sent after all.
  void give_back(const std::shared_ptr<FrontReplica>& replica);
  // Instead of give_back(), when nobody answered at its address: it is left alone for a moment, and the request goes on
  // waiting, before all others, as if it had come when `ticket` was made.
  void unreachable(const std::shared_ptr<FrontReplica>& replica, std::chrono::steady_clock::time_point since, Ready ready,
                   Ticket& ticket);
  // Nobody waits any more; `ready` is not called.
  void abandon(const Ticket& ticket);
  // Answers all that wait with kStopping, and whoever comes later.
  void stop();

  std::int64_t in_flight() const { return in_flight_; }
  std::size_t waiting() const;  // for one that is busy
  std::size_t held() const;     // until there is one
  const std::vector<std::shared_ptr<FrontReplica>>& replicas() const { return replicas_; }

 private:
  enum class Standing { kFree, kBusy, kUnreachable, kStarting, kNone };

  std::shared_ptr<FrontReplica> choose() const;
  Standing standing() const;
  std::chrono::milliseconds limit_of(Standing standing) const;
  Ticket wait(Ready ready, std::chrono::steady_clock::time_point since, bool is_first);
  void set_timer(const std::shared_ptr<Waiter>& waiter, std::chrono::milliseconds limit);
  void wait_longer();
  void serve_waiters();
  void refuse_all(Refusal why);
  void give(const std::shared_ptr<FrontReplica>& replica, const Ready& ready);

  Loop& loop_;
  Settings settings_;
  std::vector<std::shared_ptr<FrontReplica>> replicas_;
  std::list<std::shared_ptr<Waiter>> waiters_;
  std::int64_t in_flight_ = 0;
  std::uint64_t turns_ = 0;
  bool is_stopping_ = false;
};

}  // namespace roost
