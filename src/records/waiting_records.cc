#include "records/waiting_records.h"

#include <algorithm>

namespace roost {
namespace {

// What of a spec matters here; to let SQLite find it takes a third of the time of parsing all of it.
#define ROOST_SPEC_COLUMNS                                                                             \
  "json_extract(r.spec_json, '$.node_count'), json_extract(r.spec_json, '$.max_run_duration_seconds'), " \
  "json_extract(r.spec_json, '$.script'), json_extract(r.spec_json, '$.command')"

std::int64_t nodes_at(const Rows& rows, int column) {
  return std::max<std::int64_t>(1, rows.maybe_integer(column).value_or(1));
}

// A command is a shell line: its words up to the script, whose arguments differ from run to run.
std::string program_at(const Rows& rows, int column) {
  if (std::string script = rows.text(column); !script.empty()) return script;
  const std::string command = rows.text(column + 1);
  for (const char* ending : {".py", ".sh"}) {
    const auto at = command.find(ending);
    const auto after = at == std::string::npos ? at : at + std::string_view(ending).size();
    if (after < command.size() && command[after] == ' ') return command.substr(0, after);
  }
  return command;
}

}  // namespace

Result<std::vector<QueueEntry>> queue_entries(Tx& tx, std::string_view workspace, std::string_view compute) {
  Rows rows = tx.query(
      "SELECT r.seq, r.id, e.name, r.experiment, r.display_name, r.status, r.compute, r.priority,"
      " r.created_by, r.attempt, r.started, a.created, " ROOST_SPEC_COLUMNS
      " FROM run r INDEXED BY run_active JOIN experiment e ON e.id = r.experiment"
      " LEFT JOIN attempt a ON a.run = r.seq AND a.attempt = r.attempt AND a.open = 1"
      " WHERE r.status NOT IN ('Completed', 'Failed', 'Canceled') AND r.type NOT IN ('interactive', 'hyperdrive')"
      " AND (r.held = 0 OR a.open = 1)"
      " AND r.workspace = ? AND (r.compute = ? OR ? = '') ORDER BY r.compute, r.priority DESC, r.seq",
      workspace, compute, compute);
  std::vector<QueueEntry> entries;
  while (rows.next()) {
    QueueEntry& entry = entries.emplace_back();
    entry.seq = rows.integer(0);
    entry.id = rows.text(1);
    entry.experiment = rows.text(2);
    entry.experiment_row = rows.integer(3);
    entry.display_name = rows.text(4);
    entry.status = status_from_name(rows.bytes(5)).value_or(RunStatus::kQueued);
    entry.compute = rows.text(6);
    entry.priority = rows.integer(7);
    entry.user = rows.text(8);
    entry.attempt = rows.integer(9);
    entry.started = rows.maybe_integer(10);
    entry.has_nodes_since = rows.maybe_integer(11);
    entry.nodes = nodes_at(rows, 12);
    if (const auto seconds = rows.maybe_integer(13)) entry.limit = *seconds * kSecond;
    entry.program = program_at(rows, 14);
  }
  ROOST_CHECK(rows.status());
  return entries;
}

Result<std::optional<Micros>> waiting_since(Tx& tx, std::int64_t run) {
  Rows rows = tx.query(
      "SELECT at FROM event WHERE run = ? AND to_status IN ('Preparing', 'Queued') AND from_status NOT IN"
      " ('Preparing', 'Queued', 'Provisioning') ORDER BY seq DESC LIMIT 1",
      run);
  std::optional<Micros> since;
  if (rows.next()) since = rows.integer(0);
  ROOST_CHECK(rows.status());
  return since;
}

Result<std::vector<EarlierRun>> earlier_runs(Tx& tx, std::int64_t experiment_row, std::int64_t limit) {
  Rows rows = tx.query(
      "SELECT r.compute, r.ended - r.started, " ROOST_SPEC_COLUMNS
      " FROM run r INDEXED BY run_by_experiment_status WHERE r.experiment = ? AND r.status = 'Completed'"
      " AND r.attempt = 1 AND r.ended > r.started ORDER BY r.seq DESC LIMIT ?",
      experiment_row, limit);
  std::vector<EarlierRun> runs;
  while (rows.next()) {
    runs.push_back({rows.text(0), program_at(rows, 4), nodes_at(rows, 2), rows.integer(1)});
  }
  ROOST_CHECK(rows.status());
  return runs;
}

}  // namespace roost
