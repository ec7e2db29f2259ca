#pragma once

#include <optional>
#include <vector>

#include "domain/queued_run.h"

namespace roost {

// What a run may take beyond its time limit: staging its inputs, and ending in good order.
inline constexpr Micros kBesidesItsLimit = 30 * kSecond;

// Nodes that are in use, and until when at the latest.
struct Held {
  std::int64_t nodes = 0;
  Micros started = 0;
  std::optional<Micros> ends;  // nothing: nobody knows
};

// Keeps nodes for the first run that has to wait, so that those behind it may use what it does not need
// and never make it wait longer.
//
// If the runs that it waits for have time limits, it is known when it starts at the latest. Another run
// may start now if it ends before that by its own limit, or if it needs only nodes that are to spare at
// that time.
//
// If they have none, nobody knows. Then the runs that were given nodes since the waiting run came may
// have, all together, what it will never need: the nodes of the compute less its own. Those that were
// there before it end some day, and it starts.
class Reservation {
 public:
  // `free` nodes are in no use; `held` are the others of the compute's `capacity`.
  Reservation(const QueuedRun& waiting, std::int64_t capacity, std::int64_t free, std::vector<Held> held, Micros now);

  // Whether a run that fits into the free nodes may have them.
  bool allows(const QueuedRun& run) const;
  void take(const QueuedRun& run);

  std::int64_t run() const { return run_; }
  std::optional<Micros> starts() const { return starts_; }

 private:
  bool ends_before(const QueuedRun& run) const;

  std::int64_t run_;
  Micros now_;
  std::optional<Micros> starts_;
  std::int64_t spare_ = 0;
};

// When a run with this limit ends at the latest if it starts now.
std::optional<Micros> latest_end(const QueuedRun& run, Micros now);

}  // namespace roost
