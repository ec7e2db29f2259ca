#include "schedule/reservation.h"

#include <algorithm>

namespace roost {

std::optional<Micros> latest_end(const QueuedRun& run, Micros now) {
  if (run.limit <= 0) return std::nullopt;
  return now + run.limit + kBesidesItsLimit;
}

Reservation::Reservation(const QueuedRun& waiting, std::int64_t capacity, std::int64_t free, std::vector<Held> held,
                         Micros now)
    : run_(waiting.seq), now_(now) {
  std::int64_t since_it_came = 0;
  for (const auto& use : held) {
    if (use.started >= waiting.queued) since_it_came += use.nodes;
  }
  std::erase_if(held, [](const Held& use) { return !use.ends; });
  std::sort(held.begin(), held.end(), [](const Held& a, const Held& b) { return *a.ends < *b.ends; });
  for (auto use = held.begin(); use != held.end(); ++use) {
    if (starts_ && *use->ends > *starts_) break;
    free += use->nodes;
    if (!starts_ && free >= waiting.nodes) starts_ = std::max(now, *use->ends);
  }
  spare_ = std::max<std::int64_t>(0, starts_ ? free - waiting.nodes : capacity - waiting.nodes - since_it_came);
}

bool Reservation::ends_before(const QueuedRun& run) const {
  const auto end = latest_end(run, now_);
  return starts_ && end && *end <= *starts_;
}

bool Reservation::allows(const QueuedRun& run) const { return ends_before(run) || run.nodes <= spare_; }

void Reservation::take(const QueuedRun& run) {
  if (!ends_before(run)) spare_ -= run.nodes;
}

}  // namespace roost
