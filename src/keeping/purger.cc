#include "keeping/purger.h"

#include "base/report_error.h"
#include "records/purge_records.h"

namespace roost {
namespace {

// A write of so many rows takes a few milliseconds.
constexpr std::int64_t kRowsAtOnce = 500;

Status purge_run(const KeepingParts& parts, const PurgedRun& run, const std::stop_token& stop) {
  for (bool more = true; more;) {
    if (stop.stop_requested()) return {};
    ROOST_CHECK(parts.db.write([&](Tx& tx) -> Status {
      ROOST_TRY(more, purge_some(tx, run.seq, kRowsAtOnce));
      return {};
    }));
  }
  // Before the row that says whose they are.
  ROOST_CHECK(parts.remove_logs(run.id));
  ROOST_CHECK(parts.db.write([&](Tx& tx) { return finish_purge(tx, run, parts.clock.now()); }));
  parts.changes.run_changed(run.id);
  return {};
}

Status purge_all(const KeepingParts& parts, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::optional<PurgedRun> next;
    ROOST_CHECK(parts.db.read([&](Tx& tx) -> Status {
      ROOST_TRY(next, next_purged(tx));
      return {};
    }));
    if (!next) break;
    ROOST_CHECK(purge_run(parts, *next, stop));
  }
  return parts.db.write([](Tx& tx) { return purge_empty_experiments(tx); });
}

}  // namespace

void purge_requested(const KeepingParts& parts, const std::stop_token& stop) {
  report_error(purge_all(parts, stop), "deleting for good");
}

}  // namespace roost
