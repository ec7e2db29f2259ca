#include "records/purge_records.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "records/bin_records.h"
#include "records/run_records.h"

namespace roost {
namespace {

// A child of a sweep that goes on is what the sweep decides by.
#define ROOST_NEEDED_BY_SWEEP \
  "EXISTS (SELECT 1 FROM sweep_trial t JOIN sweep s ON s.run = t.sweep WHERE t.run = r.seq AND s.is_active = 1)"

// What belongs to a run and goes with it, a few rows at a time: the run's row, then how many. The largest first.
constexpr std::array kParts = {
    "DELETE FROM metric_block WHERE (metric, first) IN (SELECT b.metric, b.first FROM metric m JOIN metric_block b"
    " ON b.metric = m.id WHERE m.run = ?1 LIMIT (?2 + 15) / 16)",
    "DELETE FROM metric_value WHERE (metric, idx) IN (SELECT v.metric, v.idx FROM metric m JOIN metric_value v"
    " ON v.metric = m.id WHERE m.run = ?1 LIMIT (?2 + 15) / 16)",
    "DELETE FROM metric WHERE id IN (SELECT id FROM metric WHERE run = ?1 LIMIT ?2)",
    "DELETE FROM system_block WHERE (run, node, first) IN (SELECT run, node, first FROM system_block WHERE run = ?1 LIMIT"
    " (?2 + 15) / 16)",
    "DELETE FROM system_sample WHERE (run, node, at) IN (SELECT run, node, at FROM system_sample WHERE run = ?1 LIMIT ?2)",
    "DELETE FROM artifact WHERE (run, path) IN (SELECT run, path FROM artifact WHERE run = ?1 LIMIT ?2)",
    "DELETE FROM sweep_trial WHERE (sweep, number) IN (SELECT sweep, number FROM sweep_trial WHERE sweep = ?1 LIMIT ?2)",
    "DELETE FROM sweep_trial WHERE (sweep, number) IN (SELECT sweep, number FROM sweep_trial WHERE run = ?1 LIMIT ?2)",
    "DELETE FROM spool WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM run_tag WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM run_param WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM run_input WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM removed_part WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM alert_rule WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM run_dataset WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM run_model WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM run_process WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM logged_model_metric WHERE run = ?1 AND ?2 > 0",
    "UPDATE logged_model SET run = NULL WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM attempt_part WHERE (run, attempt, node_rank) IN (SELECT run, attempt, node_rank FROM attempt_part"
    " WHERE run = ?1 LIMIT ?2)",
    "DELETE FROM attempt WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM allocation WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM replica WHERE run = ?1 AND ?2 > 0",
    "DELETE FROM sweep WHERE run = ?1 AND ?2 > 0",
    // The newest event of all stays for now, see finish_purge().
    "DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE run = ?1 AND seq < (SELECT max(seq) FROM event) LIMIT ?2)",
};

Status check_may_go(Tx& tx, std::int64_t run, std::string_view what) {
  Rows rows = tx.query("WITH RECURSIVE r(seq, id) AS (SELECT seq, id FROM run WHERE seq = ? UNION SELECT c.seq, c.id FROM r"
                       " JOIN run c ON c.parent = r.id) SELECT r.id FROM r WHERE " ROOST_NEEDED_BY_SWEEP " LIMIT 1",
                       run);
  if (!rows.next()) return rows.status();
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("run {} belongs to a sweep that goes on and decides by it, so {} stays in the bin until the sweep has ended",
                          rows.text(0), what));
}

// Where a model came from stays as text.
Status keep_origins(Tx& tx, const Run& run) {
  Json origin = {{"run", run.id}, {"experiment", run.experiment}, {"environment", run.environment}};
  if (run.snapshot) origin["snapshot"] = *run.snapshot;
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO model_origin SELECT seq, ? FROM model WHERE run = ?", to_text(origin), run.seq));
  ROOST_CHECK(tx.run("UPDATE model SET run = NULL WHERE run = ?", run.seq));
  return {};
}

// Rows are numbered by what is there: were the newest run or event to go, the next would get its number, and whoever has
// seen everything up to that would miss it. So the row of such a run stays, empty and in no workspace, until others follow.
Status drop_husks(Tx& tx) {
  ROOST_CHECK(tx.run("DELETE FROM event WHERE seq < (SELECT max(seq) FROM event) AND run IN (SELECT seq FROM run WHERE"
                     " workspace = '')"));
  ROOST_CHECK(tx.run("DELETE FROM run WHERE workspace = '' AND seq < (SELECT max(seq) FROM run) AND NOT EXISTS"
                     " (SELECT 1 FROM event e WHERE e.run = run.seq)"));
  return {};
}

Status make_husk(Tx& tx, std::int64_t run) {
  ROOST_CHECK(tx.run("INSERT OR IGNORE INTO experiment (id, workspace, name, guid, created) SELECT 0, min(name), '', '', 0"
                     " FROM workspace"));
  ROOST_CHECK(tx.run("UPDATE run SET id = '(deleted)/' || seq, workspace = '', experiment = 0, display_name = '', parent = NULL,"
                     " snapshot = NULL, spec_json = '{}', environment_json = '{}', git_json = NULL, tags_json = '{}',"
                     " properties_json = '{}', error_json = NULL, notices_json = '[]', deleted = NULL WHERE seq = ?",
                     run));
  return {};
}

}  // namespace

Status request_purge(Tx& tx, const Run& run, std::string_view who, Micros now) {
  if (!is_in_bin(run)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("run {} is not in the bin; delete it first ('roost runs rm {}')", run.id, run.id));
  }
  ROOST_CHECK(check_may_go(tx, run.seq, "it"));
  ROOST_CHECK(tx.run("WITH RECURSIVE below(seq, id) AS (SELECT seq, id FROM run WHERE seq = ?1 UNION SELECT c.seq, c.id"
                     " FROM below b JOIN run c ON c.parent = b.id)"
                     " INSERT OR IGNORE INTO purge SELECT seq, ?2, ?3 FROM below",
                     run.seq, who, now));
  return {};
}

Status request_purge(Tx& tx, const Experiment& experiment, std::string_view who, Micros now) {
  if (!is_in_bin(experiment)) {
    return fail(ErrorCode::kFailedPrecondition, fmt::format("the experiment \"{}\" is not in the bin; delete it first",
                                                            printable(experiment.name)));
  }
  std::vector<Run> runs;
  {
    std::vector<std::int64_t> rows_of;
    Rows rows = tx.query("SELECT seq FROM run INDEXED BY run_by_experiment WHERE experiment = ?", experiment.row);
    while (rows.next()) rows_of.push_back(rows.integer(0));
    ROOST_CHECK(rows.status());
    for (const std::int64_t row : rows_of) {
      ROOST_TRY(Run run, run_by_row(tx, row));
      runs.push_back(std::move(run));
    }
  }
  for (const auto& run : runs) ROOST_CHECK(request_purge(tx, run, who, now));
  ROOST_CHECK(tx.run("UPDATE experiment SET purging = 1 WHERE id = ?", experiment.row));
  return {};
}

Result<std::int64_t> request_purge_of_old(Tx& tx, std::string_view workspace, Micros before, std::string_view who, Micros now) {
  ROOST_TRY(const std::int64_t runs,
            tx.run("INSERT OR IGNORE INTO purge SELECT r.seq, ?3, ?4 FROM run r INDEXED BY run_in_bin WHERE r.deleted IS NOT"
                   " NULL AND r.deleted < ?2 AND r.workspace <> '' AND (?1 = '' OR r.workspace = ?1) AND NOT " ROOST_NEEDED_BY_SWEEP,
                   workspace, before, who, now));
  ROOST_CHECK(tx.run("UPDATE experiment SET purging = 1 WHERE deleted IS NOT NULL AND deleted < ?2 AND purging = 0"
                     " AND (?1 = '' OR workspace = ?1)",
                     workspace, before));
  return runs;
}

Result<BinFacts> bin_facts(Tx& tx, std::string_view workspace) {
  BinFacts facts;
  {
    Rows rows = tx.query("SELECT count(*), min(deleted) FROM run INDEXED BY run_in_bin WHERE workspace = ? AND deleted IS NOT NULL",
                         workspace);
    if (rows.next()) {
      facts.runs = rows.integer(0);
      facts.oldest = rows.maybe_integer(1);
    }
    ROOST_CHECK(rows.status());
  }
  {
    Rows rows = tx.query("SELECT count(*) FROM experiment WHERE workspace = ? AND deleted IS NOT NULL", workspace);
    if (rows.next()) facts.experiments = rows.integer(0);
    ROOST_CHECK(rows.status());
  }
  Rows rows = tx.query("SELECT count(*) FROM purge p JOIN run r ON r.seq = p.run WHERE r.workspace = ?", workspace);
  if (rows.next()) facts.being_deleted = rows.integer(0);
  ROOST_CHECK(rows.status());
  return facts;
}

Result<std::optional<PurgedRun>> next_purged(Tx& tx) {
  // Who is below another was made after it.
  Rows rows = tx.query("SELECT p.run, r.id FROM purge p JOIN run r ON r.seq = p.run ORDER BY p.run DESC LIMIT 1");
  std::optional<PurgedRun> next;
  if (rows.next()) next = PurgedRun{rows.integer(0), rows.text(1)};
  ROOST_CHECK(rows.status());
  return next;
}

Result<bool> purge_some(Tx& tx, std::int64_t run, std::int64_t limit) {
  for (const char* part : kParts) {
    ROOST_TRY(const std::int64_t gone, tx.run(part, run, limit));
    if (gone > 0) return true;
  }
  return false;
}

Status finish_purge(Tx& tx, const PurgedRun& purged, Micros now) {
  ROOST_TRY(const Run run, run_by_row(tx, purged.seq));
  ROOST_CHECK(keep_origins(tx, run));
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO purged_run SELECT ?, who, ? FROM purge WHERE run = ?", run.id, now, run.seq));
  ROOST_CHECK(tx.run("DELETE FROM purge WHERE run = ?", run.seq));
  ROOST_CHECK(make_husk(tx, run.seq));
  return drop_husks(tx);
}

Status purge_empty_experiments(Tx& tx) {
  ROOST_CHECK(tx.run("DELETE FROM experiment WHERE purging = 1 AND NOT EXISTS (SELECT 1 FROM run INDEXED BY run_by_experiment WHERE"
                     " run.experiment = experiment.id)"));
  return {};
}

}  // namespace roost
