#pragma once

#include <cstdint>
#include <optional>

#include "domain/queued_run.h"
#include "domain/resource_ask.h"

namespace roost {

// A run whose turn it is and that waits for GPUs, CPUs or memory of the machine.
struct RoomClaim {
  std::int64_t run = 0;
  bool low_priority = false;  // of its compute
  std::int64_t priority = 0;
  Amounts need;  // on all its nodes together
  Micros since = 0;

  // In which order runs of several computes come, as share_machine() has it.
  bool comes_before(const RoomClaim& other) const;
};

// What the computes of one machine share, when a decision about one of them is due.
struct MachineRoom {
  Amounts total;
  Amounts free;                    // of what runs asked for; those that did not ask take no part of CPUs and memory
  std::optional<RoomClaim> first;  // who waits longest for some of it, in whichever compute
  Amounts late;                    // what runs have that were started since that one waits

  friend bool operator==(const MachineRoom&, const MachineRoom&);
};

// Gives runs of one compute their part of the machine, in the order in which it is asked.
//
// The first that cannot have what it needs has a claim: runs behind it may have, all together and with those that were
// started since it waits, only what it will never need, so that it starts once those from before it have ended. A claim
// of a run in another compute holds for those that come after that one.
class RoomShare {
 public:
  // `size_gpus`: see need_of().
  RoomShare(const MachineRoom& room, bool low_priority, std::optional<std::int64_t> size_gpus, Micros now);

  // What the run takes on all its nodes together, spare GPUs among it; nothing if it has to wait.
  std::optional<Amounts> take(const QueuedRun& run);
  // More than it ever can have on this machine as it is: it holds up nobody.
  bool is_too_much(const QueuedRun& run) const;

  const std::optional<RoomClaim>& claim() const { return own_; }  // of a run of this compute
  const Amounts& taken() const { return taken_; }

 private:
  RoomClaim claim_of(const QueuedRun& run, const Amounts& need) const;
  // What the run may take without making a run wait longer that has a claim.
  Amounts allowed(const RoomClaim& asks) const;

  MachineRoom room_;
  const bool low_priority_;
  const std::optional<std::int64_t> size_gpus_;
  const Micros now_;
  std::optional<RoomClaim> own_;
  Amounts own_late_;  // what runs behind `own_` have of it
  Amounts taken_;
};

}  // namespace roost
