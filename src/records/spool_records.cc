#include "records/spool_records.h"

namespace roost {

Result<std::uint64_t> spool_length(Tx& tx, const Run& run, std::string_view name) {
  Rows rows = tx.query("SELECT length FROM spool WHERE run = ? AND attempt = ? AND name = ?", run.seq, run.attempt,
                       name);
  const auto length = rows.next() ? static_cast<std::uint64_t>(rows.integer(0)) : 0;
  ROOST_CHECK(rows.status());
  return length;
}

}  // namespace roost
