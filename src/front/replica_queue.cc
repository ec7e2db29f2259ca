#include "front/replica_queue.h"

#include <algorithm>
#include <utility>

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace roost {
namespace {

constexpr milliseconds kAvoid{200};          // a replica at whose address nobody answers
constexpr milliseconds kUnreachableWait{5000};  // for whoever replaces replicas that died
constexpr std::size_t kMostHeld = 10'000;

}  // namespace

struct ReplicaQueue::Waiter {
  Ready ready;
  steady_clock::time_point since;
  milliseconds limit{0};
  Refusal when_late = Refusal::kBusyTooLong;
  std::unique_ptr<Loop::Timer> timer;
};

ReplicaQueue::~ReplicaQueue() {
  // Timers are not to find it gone.
  for (const auto& replica : replicas_) replica->avoid_timer.reset();
}

void ReplicaQueue::set(const Settings& settings, const std::vector<TableReplica>& replicas) {
  settings_ = settings;
  std::vector<std::shared_ptr<FrontReplica>> now;
  for (const auto& place : replicas) {
    const auto known = std::find_if(replicas_.begin(), replicas_.end(), [&](const auto& other) {
      return other->place.run == place.run && other->place.address == place.address && other->place.port == place.port;
    });
    if (known != replicas_.end()) {
      (*known)->place = place;
      now.push_back(*known);
    } else {
      now.push_back(std::make_shared<FrontReplica>(FrontReplica{place}));
    }
  }
  for (const auto& replica : replicas_) {
    if (std::find(now.begin(), now.end(), replica) == now.end()) replica->avoid_timer.reset();
  }
  replicas_ = std::move(now);
  if (standing() == Standing::kNone) return refuse_all(Refusal::kNoReplica);
  wait_longer();
  serve_waiters();
}

// Things may have changed so that those who wait may do so for longer; never so that they must leave earlier.
void ReplicaQueue::wait_longer() {
  const milliseconds limit = limit_of(standing());
  for (const auto& waiter : waiters_) {
    if (limit > waiter->limit) set_timer(waiter, limit);
  }
}

ReplicaQueue::Ticket ReplicaQueue::take(Ready ready) {
  const bool is_first = waiters_.empty();
  if (is_first && !is_stopping_) {
    if (const auto replica = choose()) {
      give(replica, ready);
      return {};
    }
  }
  return wait(std::move(ready), steady_clock::now(), false);
}

void ReplicaQueue::give_back(const std::shared_ptr<FrontReplica>& replica) {
  --replica->in_flight;
  --in_flight_;
  serve_waiters();
}

void ReplicaQueue::unreachable(const std::shared_ptr<FrontReplica>& replica, steady_clock::time_point since, Ready ready,
                               Ticket& ticket) {
  --replica->in_flight;
  --in_flight_;
  replica->is_avoided = true;
  replica->avoid_timer = loop_.after(kAvoid, [this, weak = std::weak_ptr(replica)] {
    const auto held = weak.lock();
    if (!held) return;
    held->is_avoided = false;
    serve_waiters();
  });
  ticket = wait(std::move(ready), since, true);
  wait_longer();
  serve_waiters();
}

void ReplicaQueue::abandon(const Ticket& ticket) {
  if (const auto waiter = ticket.lock()) waiters_.remove(waiter);
}

void ReplicaQueue::stop() {
  is_stopping_ = true;
  refuse_all(Refusal::kStopping);
}

std::size_t ReplicaQueue::waiting() const { return replicas_.empty() ? 0 : waiters_.size(); }
std::size_t ReplicaQueue::held() const { return replicas_.empty() ? waiters_.size() : 0; }

// The one with the least to do; of several the one that was not asked for longest.
std::shared_ptr<FrontReplica> ReplicaQueue::choose() const {
  std::shared_ptr<FrontReplica> chosen;
  for (const auto& replica : replicas_) {
    if (replica->is_avoided) continue;
    if (settings_.max_concurrent > 0 && replica->in_flight >= settings_.max_concurrent) continue;
    const auto rank = [](const FrontReplica& one) { return std::pair(one.in_flight, one.used); };
    if (!chosen || rank(*replica) < rank(*chosen)) chosen = replica;
  }
  return chosen;
}

ReplicaQueue::Standing ReplicaQueue::standing() const {
  if (replicas_.empty()) return settings_.is_starting ? Standing::kStarting : Standing::kNone;
  const bool all_avoided =
      std::all_of(replicas_.begin(), replicas_.end(), [](const auto& replica) { return replica->is_avoided; });
  if (all_avoided) return Standing::kUnreachable;
  return choose() ? Standing::kFree : Standing::kBusy;
}

milliseconds ReplicaQueue::limit_of(Standing standing) const {
  if (standing == Standing::kStarting) return settings_.hold;
  if (standing == Standing::kUnreachable) return std::max(settings_.wait, std::min(settings_.hold, kUnreachableWait));
  return settings_.wait;
}

ReplicaQueue::Ticket ReplicaQueue::wait(Ready ready, steady_clock::time_point since, bool is_first) {
  const Standing now = standing();
  if (is_stopping_ || now == Standing::kNone) {
    ready(nullptr, is_stopping_ ? Refusal::kStopping : Refusal::kNoReplica);
    return {};
  }
  const std::size_t most = now == Standing::kStarting || now == Standing::kUnreachable
                               ? std::max(kMostHeld, static_cast<std::size_t>(settings_.limit))
                               : static_cast<std::size_t>(settings_.limit);
  if (!is_first && waiters_.size() >= most) {
    ready(nullptr, Refusal::kQueueFull);
    return {};
  }
  auto waiter = std::make_shared<Waiter>();
  waiter->ready = std::move(ready);
  waiter->since = since;
  waiters_.insert(is_first ? waiters_.begin() : waiters_.end(), waiter);
  waiter->when_late = Refusal::kBusyTooLong;
  set_timer(waiter, limit_of(now));
  return waiter;
}

void ReplicaQueue::set_timer(const std::shared_ptr<Waiter>& waiter, milliseconds limit) {
  waiter->limit = limit;
  const Standing now = standing();
  if (now == Standing::kStarting) waiter->when_late = Refusal::kStartsTooLong;
  if (now == Standing::kUnreachable) waiter->when_late = Refusal::kUnreachable;
  const auto waited = std::chrono::duration_cast<milliseconds>(steady_clock::now() - waiter->since);
  waiter->timer = loop_.after(std::max(limit - waited, milliseconds(0)), [this, weak = std::weak_ptr(waiter)] {
    const auto held = weak.lock();
    if (!held) return;
    waiters_.remove(held);
    held->ready(nullptr, held->when_late);
  });
}

void ReplicaQueue::serve_waiters() {
  while (!waiters_.empty()) {
    const auto replica = choose();
    if (!replica) return;
    const auto waiter = waiters_.front();
    waiters_.pop_front();
    waiter->timer.reset();
    give(replica, waiter->ready);
  }
}

void ReplicaQueue::refuse_all(Refusal why) {
  for (const auto& waiter : std::exchange(waiters_, {})) {
    waiter->timer.reset();
    waiter->ready(nullptr, why);
  }
}

void ReplicaQueue::give(const std::shared_ptr<FrontReplica>& replica, const Ready& ready) {
  ++replica->in_flight;
  ++in_flight_;
  replica->used = ++turns_;
  ready(replica, Refusal::kNone);
}

}  // namespace roost
