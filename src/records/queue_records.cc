#include "records/queue_records.h"

#include <algorithm>
#include <map>

#include "domain/run.h"
#include "records/lease_records.h"

namespace roost {
namespace {

#define ROOST_QUEUE_COLUMNS \
  "r.seq, r.workspace, r.compute, r.priority, r.nodes_needed, r.time_limit, r.created, r.created_by, r.status, \
  r.resources_json, r.type"
#define ROOST_NOT_PLACED \
  "r.held = 0 AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.run = r.seq AND a.attempt = r.attempt AND a.open = 1)"

WaitingRun read_waiting(const Rows& rows) {
  WaitingRun waiting{rows.text(1), rows.text(2), {}};
  waiting.run.seq = rows.integer(0);
  waiting.run.priority = rows.integer(3);
  waiting.run.nodes = rows.integer(4);
  waiting.run.limit = rows.maybe_integer(5).value_or(0) * kSecond;
  waiting.run.queued = rows.integer(6);
  waiting.run.user = rows.text(7);
  waiting.run.provisioning = rows.bytes(8) == "Provisioning";
  if (!rows.is_null(9)) waiting.run.ask = parse_resource_ask(stored_json(rows.text(9))).value_or(ResourceAsk());
  waiting.run.is_replica = rows.bytes(10) == kReplicaType;
  return waiting;
}

}  // namespace

Result<std::vector<WaitingRun>> read_queue(Tx& tx) {
  std::vector<WaitingRun> all;
  Rows rows = tx.query("SELECT " ROOST_QUEUE_COLUMNS
                       " FROM run r INDEXED BY run_waiting WHERE r.status IN ('Queued', 'Provisioning')"
                       " AND " ROOST_NOT_PLACED);
  while (rows.next()) all.push_back(read_waiting(rows));
  ROOST_CHECK(rows.status());
  return all;
}

Result<std::int64_t> last_event(Tx& tx) {
  Rows rows = tx.query("SELECT max(seq) FROM event");
  std::int64_t last = 0;
  if (rows.next()) last = rows.integer(0);
  ROOST_CHECK(rows.status());
  return last;
}

Result<std::vector<QueueChange>> queue_changes(Tx& tx, std::int64_t event) {
  std::vector<QueueChange> all;
  Rows rows = tx.query("SELECT " ROOST_QUEUE_COLUMNS
                       ", r.status IN ('Queued', 'Provisioning') AND " ROOST_NOT_PLACED
                       " FROM run r WHERE r.seq IN (SELECT run FROM event WHERE seq > ?)",
                       event);
  while (rows.next()) {
    QueueChange change{rows.integer(0), std::nullopt};
    if (rows.integer(11) != 0) change.waits = read_waiting(rows);
    all.push_back(std::move(change));
  }
  ROOST_CHECK(rows.status());
  return all;
}

Result<std::vector<PlacedRun>> placed_runs(Tx& tx) {
  std::vector<PlacedRun> all;
  Rows rows = tx.query(
      "SELECT r.seq, r.workspace, r.compute, r.created_by, a.created, r.deadline, r.time_limit, a.preempted,"
      " (SELECT count(*) FROM attempt_part p WHERE p.run = a.run AND p.attempt = a.attempt"
      "  AND p.state IN ('assigned', 'ready', 'started'))"
      " FROM attempt a INDEXED BY attempt_open JOIN run r ON r.seq = a.run WHERE a.open = 1");
  while (rows.next()) {
    PlacedRun placed{rows.text(1), rows.text(2), {}};
    placed.run.seq = rows.integer(0);
    placed.run.user = rows.text(3);
    placed.run.started = rows.integer(4);
    placed.run.ends = rows.maybe_integer(5);
    // Its time begins when its processes do.
    if (const auto limit = rows.maybe_integer(6); limit && !placed.run.ends) {
      placed.run.ends = placed.run.started + *limit * kSecond;
    }
    placed.run.preempted = !rows.is_null(7);
    placed.run.nodes = rows.integer(8);
    all.push_back(std::move(placed));
  }
  ROOST_CHECK(rows.status());
  ROOST_TRY(const auto held, held_leases(tx));
  std::map<std::int64_t, Amounts> by_run;
  for (const auto& lease : held) by_run[lease.run] = by_run[lease.run] + lease.lease.amounts();
  for (auto& placed : all) {
    if (const auto found = by_run.find(placed.run.seq); found != by_run.end()) placed.run.held = found->second;
  }
  return all;
}

Result<std::map<std::int64_t, QueuedRun>> asking_runs(Tx& tx, std::string_view workspace, std::string_view compute) {
  std::map<std::int64_t, QueuedRun> all;
  Rows rows = tx.query("SELECT " ROOST_QUEUE_COLUMNS
                       " FROM run r INDEXED BY run_waiting WHERE r.status IN ('Queued', 'Provisioning')"
                       " AND r.compute = ? AND r.workspace = ? AND " ROOST_NOT_PLACED,
                       compute, workspace);
  while (rows.next()) all[rows.integer(0)] = read_waiting(rows).run;
  ROOST_CHECK(rows.status());
  return all;
}

Result<std::vector<NodeUse>> node_uses(Tx& tx, Micros since) {
  std::vector<NodeUse> all;
  Rows rows = tx.query(
      "SELECT r.workspace, r.compute, r.created_by, a.created, p.ended FROM attempt_part p"
      " CROSS JOIN attempt a ON a.run = p.run AND a.attempt = p.attempt CROSS JOIN run r ON r.seq = p.run"
      " WHERE p.ended > ? OR (p.ended = 0 AND a.open = 1)",
      since);
  while (rows.next()) {
    NodeUse use{rows.text(0), rows.text(1), rows.text(2), rows.integer(3), std::nullopt};
    if (const std::int64_t ended = rows.integer(4); ended > 0) use.to = ended;
    all.push_back(std::move(use));
  }
  ROOST_CHECK(rows.status());
  return all;
}

Result<std::int64_t> nodes_wanted(Tx& tx, std::string_view workspace, std::string_view compute, std::int64_t most) {
  Rows rows = tx.query("SELECT r.nodes_needed FROM run r INDEXED BY run_waiting WHERE r.status IN ('Queued',"
                       " 'Provisioning') AND r.compute = ? AND r.workspace = ? AND " ROOST_NOT_PLACED " LIMIT ?",
                       compute, workspace, most);
  std::int64_t wanted = 0;
  while (rows.next()) {
    if (rows.integer(0) <= most) wanted += rows.integer(0);
  }
  ROOST_CHECK(rows.status());
  return std::min(wanted, most);
}

Result<std::int64_t> count_active(Tx& tx, std::string_view workspace, std::string_view compute) {
  Rows rows = tx.query("SELECT count(*) FROM run INDEXED BY run_active WHERE status NOT IN ('Completed', 'Failed',"
                       " 'Canceled') AND compute = ? AND workspace = ? AND type NOT IN ('interactive', 'hyperdrive')",
                       compute, workspace);
  std::int64_t count = 0;
  if (rows.next()) count = rows.integer(0);
  ROOST_CHECK(rows.status());
  return count;
}

}  // namespace roost
