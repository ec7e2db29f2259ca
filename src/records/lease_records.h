#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/database.h"
#include "domain/lease.h"

namespace roost {

// Which node of which attempt has what of this machine. A GPU is in at most one lease that is held: the database refuses
// a second.
struct NodeLease {
  std::int64_t run = 0;
  std::int64_t attempt = 0;
  int node_rank = 0;
  std::string node;
  Lease lease;
  Json enforced;  // how the node holds the run to it, once it has said so
  std::optional<Micros> freed;
};

Status insert_lease(Tx& tx, const NodeLease& lease);
// Those that nobody else may have anything of.
Result<std::vector<NodeLease>> held_leases(Tx& tx);
Result<Amounts> held_amounts(Tx& tx);
// Those of an attempt by node rank, also the ones that were freed.
Result<std::vector<NodeLease>> leases_of_attempt(Tx& tx, std::int64_t run, std::int64_t attempt);
Status note_enforced(Tx& tx, std::int64_t run, std::int64_t attempt, int node_rank, const Json& enforced);
// Its processes have ended for certain. Freeing twice changes nothing.
Status free_lease(Tx& tx, std::int64_t run, std::int64_t attempt, int node_rank, Micros now);
// Held leases whose node is gone: there is nobody left who could say that its processes have ended.
Result<std::vector<NodeLease>> leases_without_node(Tx& tx);

}  // namespace roost
