#include "schedule/fair_order.h"

#include <algorithm>
#include <utility>

namespace roost {

FairOrder::FairOrder(const RunQueue& queue, const std::vector<std::int64_t>& promised, Standings& standings,
                     const PastUse& past, std::int64_t capacity, Micros now)
    : queue_(queue),
      standings_(standings),
      past_(past),
      capacity_(static_cast<double>(std::max<std::int64_t>(1, capacity))),
      now_(now),
      level_(queue.levels().begin()) {
  for (const std::int64_t seq : promised) {
    const QueuedRun* run = queue.find(seq);
    if (run && is_promised_.insert(seq).second) promised_[run->priority].push_back(seq);
  }
  for (auto& [user, standing] : standings_) {
    standing.past = past_.nodes(user, now_);
    standing.last_start = std::max(standing.last_start, past_.last_start(user));
  }
}

Standing* FairOrder::standing_of(const std::string& user) {
  auto [known, is_new] = standings_.try_emplace(user);
  if (is_new) {
    known->second.past = past_.nodes(user, now_);
    known->second.last_start = past_.last_start(user);
  }
  return &known->second;
}

bool FairOrder::comes_later(const Turn& a, const Turn& b) {
  ++steps_;
  return a.share != b.share ? a.share > b.share : a.run->first > b.run->first;
}

double FairOrder::share_of(const Turn& turn) const {
  const Standing& standing = *turn.standing;
  const Micros waited = std::max<Micros>(0, now_ - std::max(standing.last_start, turn.oldest));
  return (static_cast<double>(standing.nodes) + standing.past) / capacity_ -
         static_cast<double>(waited) / static_cast<double>(kWaitWorthACompute);
}

void FairOrder::push(Turn turn) {
  while (turn.run != turn.end && is_promised_.contains(turn.run->first)) ++turn.run;
  if (turn.run == turn.end) return;
  turn.share = share_of(turn);
  turns_.push_back(turn);
  std::push_heap(turns_.begin(), turns_.end(), [this](const Turn& a, const Turn& b) { return comes_later(a, b); });
}

// The users' turns come after the promises, whose starts move users back.
bool FairOrder::fill() {
  while (first_.empty() && turns_.empty()) {
    if (users_) {
      for (const auto& [user, runs] : *std::exchange(users_, nullptr)) {
        ++steps_;
        push({0, runs.begin(), runs.end(), standing_of(user), runs.begin()->second.queued});
      }
      continue;
    }
    if (level_ == queue_.levels().end()) return false;
    users_ = &level_->second;
    for (const std::int64_t seq : promised_[level_->first]) {
      const std::string& user = queue_.find(seq)->user;
      const auto run = users_->at(user).find(seq);
      first_.push_back({0, run, std::next(run), standing_of(user), 0});
    }
    ++level_;
  }
  return true;
}

const QueuedRun* FairOrder::next() {
  if (has_current_ && ++current_.run != current_.end) push(current_);
  for (;;) {
    has_current_ = fill();
    if (!has_current_) return nullptr;
    if (!first_.empty()) {
      current_ = first_.front();
      first_.pop_front();
    } else {
      std::pop_heap(turns_.begin(), turns_.end(), [this](const Turn& a, const Turn& b) { return comes_later(a, b); });
      current_ = turns_.back();
      turns_.pop_back();
    }
    if (!current_.standing->blocked) return &current_.run->second;
  }
}

void FairOrder::take() {
  Standing& standing = *current_.standing;
  standing.nodes += current_.run->second.nodes;
  standing.runs += 1;
  standing.last_start = now_;
}

void FairOrder::block_user() { current_.standing->blocked = true; }

}  // namespace roost
