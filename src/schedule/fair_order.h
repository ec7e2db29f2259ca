#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "schedule/past_use.h"
#include "schedule/run_queue.h"

namespace roost {

// A user who has waited for this long goes before one who holds the whole compute more than they do. It
// keeps a run from being overtaken for ever by users who come for the first time.
inline constexpr Micros kWaitWorthACompute = 4 * 3600 * kSecond;

// What a user has of a compute at this moment of the planning.
struct Standing {
  std::int64_t nodes = 0;
  std::int64_t runs = 0;
  double past = 0;  // in nodes, as PastUse gives it
  Micros last_start = 0;
  bool blocked = false;  // at a limit: nothing more of theirs is looked at
};
using Standings = std::unordered_map<std::string, Standing>;

// Gives the waiting runs in the order in which they have a right to nodes: by priority; within a priority
// first those that nodes were promised to before, then the user first who has least of the compute; within a
// user by age. Giving nodes to a run moves its user back at once. Each step costs O(log users).
class FairOrder {
 public:
  // All must outlive it; users that are not in `standings` are added.
  FairOrder(const RunQueue& queue, const std::vector<std::int64_t>& promised, Standings& standings,
            const PastUse& past, std::int64_t capacity, Micros now);

  const QueuedRun* next();  // null after the last
  // What becomes of the run that next() gave: it gets its nodes, or nothing more of its user is wanted.
  void take();
  void block_user();
  Standing& standing() { return *current_.standing; }

  std::int64_t steps() const { return steps_; }

 private:
  // A user's next run, and those behind it.
  struct Turn {
    double share = 0;
    RunQueue::Runs::const_iterator run, end;
    Standing* standing = nullptr;
    Micros oldest = 0;
  };
  bool comes_later(const Turn& a, const Turn& b);
  double share_of(const Turn& turn) const;
  void push(Turn turn);
  bool fill();
  Standing* standing_of(const std::string& user);

  const RunQueue& queue_;
  std::map<std::int64_t, std::vector<std::int64_t>> promised_;  // by priority
  std::unordered_set<std::int64_t> is_promised_;
  std::deque<Turn> first_;  // promises of the open level
  const RunQueue::Users* users_ = nullptr;  // of the open level, while their turns have not come
  Turn current_;
  Standings& standings_;
  const PastUse& past_;
  double capacity_;
  Micros now_;
  RunQueue::Levels::const_iterator level_;
  std::vector<Turn> turns_;  // a heap
  bool has_current_ = false;
  std::int64_t steps_ = 0;
};

}  // namespace roost
