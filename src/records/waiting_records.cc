#include "records/waiting_records.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace roost {
namespace {

// A command is a shell line: its words up to the script, whose arguments differ from run to run.
std::string program_of(const Json& spec) {
  if (std::string script = spec.value("script", std::string()); !script.empty()) return script;
  const std::string command = spec.value("command", std::string());
  for (const char* ending : {".py", ".sh"}) {
    const auto at = command.find(ending);
    const auto after = at == std::string::npos ? at : at + std::string_view(ending).size();
    if (after < command.size() && command[after] == ' ') return command.substr(0, after);
  }
  return command;
}

Json spec_of(const Rows& rows, int column) {
  Json spec = Json::parse(rows.bytes(column), nullptr, false);
  return spec.is_object() ? spec : Json::object();
}

std::int64_t nodes_of(const Json& spec) {
  return std::max<std::int64_t>(1, spec.value("node_count", std::int64_t{1}));
}

}  // namespace

Result<std::vector<QueueEntry>> queue_entries(Tx& tx, std::string_view workspace, std::string_view compute) {
  Rows rows = tx.query(
      "SELECT r.seq, r.id, e.name, r.experiment, r.display_name, r.status, r.compute, r.priority,"
      " r.created_by, r.attempt, r.started, a.created, r.spec_json"
      " FROM run r INDEXED BY run_active JOIN experiment e ON e.id = r.experiment"
      " LEFT JOIN attempt a ON a.run = r.seq AND a.attempt = r.attempt AND a.open = 1"
      " WHERE r.status NOT IN ('Completed', 'Failed', 'Canceled') AND r.type <> 'interactive'"
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
    const Json spec = spec_of(rows, 12);
    entry.nodes = nodes_of(spec);
    entry.program = program_of(spec);
    if (const auto it = spec.find("max_run_duration_seconds"); it != spec.end() && it->is_number_integer()) {
      entry.limit = it->get<std::int64_t>() * kSecond;
    }
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
      "SELECT compute, spec_json, ended - started FROM run INDEXED BY run_by_experiment_status"
      " WHERE experiment = ? AND status = 'Completed' AND attempt = 1 AND started IS NOT NULL"
      " AND ended > started ORDER BY seq DESC LIMIT ?",
      experiment_row, limit);
  std::vector<EarlierRun> runs;
  while (rows.next()) {
    const Json spec = spec_of(rows, 1);
    runs.push_back({rows.text(0), program_of(spec), nodes_of(spec), rows.integer(2)});
  }
  ROOST_CHECK(rows.status());
  return runs;
}

}  // namespace roost
