#include "schedule/machine_room.h"

#include <algorithm>
#include <tuple>

namespace roost {
namespace {

Amounts least(const Amounts& a, const Amounts& b) {
  return {std::min(a.gpus, b.gpus), std::min(a.cpus, b.cpus), std::min(a.memory_mb, b.memory_mb)};
}

}  // namespace

bool RoomClaim::comes_before(const RoomClaim& other) const {
  return std::tuple(low_priority, -priority, run) < std::tuple(other.low_priority, -other.priority, other.run);
}

bool operator==(const MachineRoom& a, const MachineRoom& b) {
  const auto claim = [](const MachineRoom& room) {
    return room.first ? std::tuple(room.first->run, room.first->low_priority, room.first->priority) : std::tuple(0L, false, 0L);
  };
  return a.total == b.total && a.free == b.free && a.late == b.late && claim(a) == claim(b);
}

RoomShare::RoomShare(const MachineRoom& room, bool low_priority, std::optional<std::int64_t> size_gpus, Micros now)
    : room_(room), low_priority_(low_priority), size_gpus_(size_gpus), now_(now) {}

RoomClaim RoomShare::claim_of(const QueuedRun& run, const Amounts& need) const {
  return {run.seq, low_priority_, run.priority, need, now_};
}

bool RoomShare::is_too_much(const QueuedRun& run) const {
  return !(need_of(run.ask, run.nodes, size_gpus_, room_.total.gpus).each * run.nodes).fits(room_.total);
}

Amounts RoomShare::allowed(const RoomClaim& asks) const {
  Amounts most = room_.free;
  if (own_) most = least(most, room_.total - own_->need - own_late_);
  const bool waits_for_other = room_.first && room_.first->run != asks.run && room_.first->comes_before(asks);
  if (waits_for_other) most = least(most, room_.total - room_.first->need - room_.late);
  return most;
}

std::optional<Amounts> RoomShare::take(const QueuedRun& run) {
  const RunNeed need = need_of(run.ask, run.nodes, size_gpus_, room_.total.gpus);
  Amounts takes = need.each * run.nodes;
  const RoomClaim asks = claim_of(run, takes);
  const Amounts most = allowed(asks);
  if (!takes.fits(most)) {
    if (own_) return std::nullopt;
    own_ = asks;
    // It has waited since before, if it is the one that had the claim.
    const bool had_it = room_.first && room_.first->run == run.seq;
    if (had_it) own_->since = room_.first->since;
    if (had_it) own_late_ = room_.late;
    return std::nullopt;
  }
  const std::int64_t spare = run.is_replica ? std::min<std::int64_t>(need.spare_gpus, 1) : need.spare_gpus;
  takes.gpus += std::clamp<std::int64_t>(most.gpus - takes.gpus, 0, spare);
  room_.free = room_.free - takes;
  room_.late = room_.late + takes;
  if (own_) own_late_ = own_late_ + takes;
  taken_ = taken_ + takes;
  return takes;
}

}  // namespace roost
