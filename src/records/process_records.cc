#include "records/process_records.h"

namespace roost {

Status expect_process(Tx& tx, std::int64_t run) {
  ROOST_CHECK(tx.run("INSERT OR IGNORE INTO run_process VALUES (?)", run));
  return {};
}

Result<bool> is_process_expected(Tx& tx, std::int64_t run) {
  Rows rows = tx.query("SELECT 1 FROM run_process WHERE run = ?", run);
  const bool expected = rows.next();
  ROOST_CHECK(rows.status());
  return expected;
}

Status forget_process(Tx& tx, std::int64_t run) {
  ROOST_CHECK(tx.run("DELETE FROM run_process WHERE run = ?", run));
  return {};
}

Result<std::vector<ExpectedProcess>> expected_processes(Tx& tx) {
  std::vector<ExpectedProcess> all;
  Rows rows = tx.query("SELECT r.seq, r.id, r.status FROM run_process p JOIN run r ON r.seq = p.run");
  while (rows.next()) {
    all.push_back({rows.integer(0), rows.text(1), status_from_name(rows.bytes(2)).value_or(RunStatus::kRunning)});
  }
  ROOST_CHECK(rows.status());
  return all;
}

}  // namespace roost
