#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "db/database.h"

namespace roost {

// new: written down before Slurm hears of it, so that it is found again whatever happens.
// submitted: Slurm has it. used: an attempt runs on its nodes. ending: nobody needs it any more.
enum class AllocationState { kNew, kSubmitted, kUsed, kEnding };

// Nodes that Slurm is asked for, for one run: a job, or an element of a job array.
struct Allocation {
  std::string name;  // of the Slurm job
  std::int64_t index = -1;
  std::int64_t run = 0;
  std::string workspace;
  std::string compute;
  std::int64_t nodes = 1;
  AllocationState state = AllocationState::kNew;
  std::string job;            // Slurm's number for it, once known
  std::string phase;          // Slurm's state of it, when last looked at
  std::string reason;         // in words, why it waits
  std::int64_t attempt = 0;   // that uses it
  Micros created = 0;
  Micros changed = 0;         // when `state` did
  Micros listed = 0;          // when Slurm last knew it; 0: not yet
  std::optional<Micros> expected;  // when Slurm expects to start it

  // What a node that belongs to it has in Node::allocation.
  std::string key() const;
};

Status insert_allocation(Tx& tx, const Allocation& allocation, std::string_view token_hash);
Status save_allocation(Tx& tx, const Allocation& allocation);
Status remove_allocation(Tx& tx, const Allocation& allocation);
Result<std::optional<Allocation>> find_allocation(Tx& tx, std::string_view name, std::int64_t index);
Result<std::optional<Allocation>> allocation_of_run(Tx& tx, std::int64_t run);
Result<std::vector<Allocation>> list_allocations(Tx& tx);
// The job name that the token belongs to.
Result<std::optional<std::string>> allocation_for_token(Tx& tx, std::string_view token_hash);

}  // namespace roost
