#include "records/lease_records.h"

namespace roost {
namespace {

#define ROOST_LEASE_COLUMNS "l.run, l.attempt, l.node_rank, l.node, l.lease_json, l.enforced_json, l.freed"

Result<std::vector<NodeLease>> read_leases(Rows rows) {
  std::vector<NodeLease> all;
  while (rows.next()) {
    NodeLease lease;
    lease.run = rows.integer(0);
    lease.attempt = rows.integer(1);
    lease.node_rank = static_cast<int>(rows.integer(2));
    lease.node = rows.text(3);
    lease.lease = lease_from(stored_json(rows.text(4)));
    lease.enforced = stored_json(rows.text(5));
    lease.freed = rows.maybe_integer(6);
    all.push_back(std::move(lease));
  }
  ROOST_CHECK(rows.status());
  return all;
}

}  // namespace

Status insert_lease(Tx& tx, const NodeLease& lease) {
  ROOST_CHECK(tx.run("INSERT INTO lease (run, attempt, node_rank, node, lease_json) VALUES (?, ?, ?, ?, ?)", lease.run,
                     lease.attempt, lease.node_rank, lease.node, to_text(lease_json(lease.lease))));
  for (const auto& gpu : lease.lease.gpus) {
    ROOST_CHECK(tx.run("INSERT INTO leased_gpu (gpu, run, attempt, node_rank) VALUES (?, ?, ?, ?)", gpu, lease.run,
                       lease.attempt, lease.node_rank));
  }
  return {};
}

Result<std::vector<NodeLease>> held_leases(Tx& tx) {
  return read_leases(tx.query("SELECT " ROOST_LEASE_COLUMNS " FROM lease l INDEXED BY lease_held WHERE l.freed IS NULL"));
}

Result<Amounts> held_amounts(Tx& tx) {
  ROOST_TRY(const auto held, held_leases(tx));
  Amounts sum;
  for (const auto& lease : held) sum = sum + lease.lease.amounts();
  return sum;
}

Result<std::vector<NodeLease>> leases_of_attempt(Tx& tx, std::int64_t run, std::int64_t attempt) {
  return read_leases(tx.query("SELECT " ROOST_LEASE_COLUMNS
                              " FROM lease l WHERE l.run = ? AND l.attempt = ? ORDER BY l.node_rank",
                              run, attempt));
}

Status note_enforced(Tx& tx, std::int64_t run, std::int64_t attempt, int node_rank, const Json& enforced) {
  ROOST_CHECK(tx.run("UPDATE lease SET enforced_json = ? WHERE run = ? AND attempt = ? AND node_rank = ?",
                     to_text(enforced), run, attempt, node_rank));
  return {};
}

Status free_lease(Tx& tx, std::int64_t run, std::int64_t attempt, int node_rank, Micros now) {
  ROOST_CHECK(tx.run("UPDATE lease SET freed = ? WHERE run = ? AND attempt = ? AND node_rank = ? AND freed IS NULL", now,
                     run, attempt, node_rank));
  ROOST_CHECK(tx.run("DELETE FROM leased_gpu WHERE run = ? AND attempt = ? AND node_rank = ?", run, attempt, node_rank));
  return {};
}

Result<std::vector<NodeLease>> leases_without_node(Tx& tx) {
  return read_leases(tx.query("SELECT " ROOST_LEASE_COLUMNS
                              " FROM lease l INDEXED BY lease_held WHERE l.freed IS NULL"
                              " AND NOT EXISTS (SELECT 1 FROM node n WHERE n.id = l.node)"));
}

}  // namespace roost
