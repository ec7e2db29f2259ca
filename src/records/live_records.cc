#include "records/live_records.h"

#include <fmt/format.h>

namespace roost {
namespace {

Status add_rows(Rows rows, int columns, std::string& state) {
  while (rows.next()) {
    for (int column = 0; column < columns; ++column) state += fmt::format("{} ", rows.text(column));
    state += "\n";
  }
  return rows.status();
}

}  // namespace

Result<std::string> ranks_state(Tx& tx, const std::string& run) {
  std::string state;
  ROOST_CHECK(add_rows(
      tx.query("SELECT p.attempt, p.node_rank, p.node, p.state, p.report_json FROM attempt_part p JOIN run r ON r.seq = p.run"
               " AND r.attempt = p.attempt WHERE r.id = ? ORDER BY p.node_rank",
               run),
      5, state));
  return state;
}

Result<std::string> computes_state(Tx& tx, const std::string& workspace) {
  std::string state;
  ROOST_CHECK(add_rows(
      tx.query("SELECT name, modified, deleting FROM compute WHERE workspace = ? ORDER BY name", workspace), 3, state));
  ROOST_CHECK(add_rows(
      tx.query("SELECT id, state, coalesce(idle_since, 0) FROM node WHERE workspace = ? ORDER BY id", workspace), 3,
      state));
  ROOST_CHECK(add_rows(
      tx.query("SELECT status, count(*), max(seq), sum(seq) FROM run INDEXED BY run_active WHERE status NOT IN"
               " ('Completed', 'Failed', 'Canceled') AND workspace = ? GROUP BY status",
               workspace),
      4, state));
  return state;
}

}  // namespace roost
