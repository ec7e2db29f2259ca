#include "finalize/keep_sets.h"

#include "finalize/check_report.h"

namespace roost {
namespace {

Status record_sets(const FinalizeParts& finalize, const AttemptName& attempt, int node_rank,
                   const std::vector<OutputSet>& sets) {
  for (const auto& set : sets) ROOST_CHECK(finalize.blobs.sync(digests_of(set.files)));
  const auto hold = finalize.blobs.hold();
  for (const auto& set : sets) ROOST_CHECK(check_outputs(finalize, set.files));
  return finalize.db.write([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, find_open_run(tx, attempt));
    ROOST_CHECK(unreported_part(tx, run, node_rank));
    for (const auto& set : sets) ROOST_CHECK(record_set(tx, run, set, finalize.clock.now()));
    return {};
  });
}

}  // namespace

Result<std::vector<std::string>> keep_sets(const FinalizeParts& finalize, const AttemptName& attempt,
                                           const KeepReport& report) {
  int nodes = 1;
  ROOST_CHECK(finalize.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, find_open_run(tx, attempt));
    ROOST_CHECK(unreported_part(tx, run, report.node_rank));
    ROOST_TRY(const auto parts, attempt_parts(tx, run.seq, run.attempt));
    nodes = static_cast<int>(parts.size());
    return {};
  }));
  for (const auto& folder : report.folders) ROOST_CHECK(check_outputs(finalize, folder.files));
  const auto sets = finalize.kept.look(attempt.run, attempt.attempt, nodes, report, finalize.clock.now());
  if (!sets.empty()) {
    if (const Status recorded = record_sets(finalize, attempt, report.node_rank, sets); !recorded) {
      finalize.kept.forget(attempt.run, attempt.attempt);
      return fail(recorded.error());
    }
  }
  return finalize.kept.sets_of(attempt.run, attempt.attempt, report);
}

}  // namespace roost
