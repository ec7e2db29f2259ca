#include "records/bin_records.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

#define ROOST_AND_BELOW(first)                                                                     \
  "WITH RECURSIVE below(seq, id, status, deleted) AS (SELECT seq, id, status, deleted FROM run "    \
  first " UNION SELECT c.seq, c.id, c.status, c.deleted FROM below b JOIN run c ON c.parent = b.id)"
#define ROOST_RUN_AND_BELOW ROOST_AND_BELOW("WHERE seq = ?")
#define ROOST_EXPERIMENT_AND_BELOW ROOST_AND_BELOW("INDEXED BY run_by_experiment WHERE experiment = ?")
#define ROOST_NOT_ENDED " SELECT id, status FROM below WHERE status NOT IN ('Completed', 'Failed', 'Canceled') LIMIT 1"
#define ROOST_NOT_IN_BIN " SELECT seq, id FROM below WHERE deleted IS NULL"

struct BinRow {
  std::int64_t seq = 0;
  std::string id;
};
using BinRows = std::vector<BinRow>;

Result<BinRows> read_rows(Rows rows) {
  BinRows all;
  while (rows.next()) all.push_back({rows.integer(0), rows.text(1)});
  ROOST_CHECK(rows.status());
  return all;
}

std::vector<std::string> ids_of(BinRows rows) {
  std::vector<std::string> ids;
  ids.reserve(rows.size());
  for (auto& row : rows) ids.push_back(std::move(row.id));
  return ids;
}

Status check_ended(Rows rows, std::string_view what) {
  if (!rows.next()) return rows.status();
  const std::string id = rows.text(0);
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("run {} is {}, so {} cannot be deleted; 'roost cancel {}' ends it first", id, rows.text(1), what, id));
}

Status put_in(Tx& tx, const BinRows& runs, std::string_view who, Micros now) {
  const std::string reason = fmt::format("put into the bin by {}", who);
  for (const auto& run : runs) {
    ROOST_CHECK(tx.run("UPDATE run SET deleted = ? WHERE seq = ?", now, run.seq));
    ROOST_CHECK(tx.run("UPDATE experiment SET runs_gone = runs_gone + 1 WHERE id = (SELECT experiment FROM run WHERE seq = ?)",
                       run.seq));
    ROOST_CHECK(tx.run("INSERT INTO event (run, attempt, from_status, to_status, at, reason)"
                       " SELECT seq, attempt, status, status, ?, ? FROM run WHERE seq = ?",
                       now, reason, run.seq));
  }
  return {};
}

Status take_out(Tx& tx, const BinRows& runs, std::string_view who, Micros now) {
  for (const auto& run : runs) {
    Rows rows = tx.query("SELECT 1 FROM purge WHERE run = ?", run.seq);
    if (rows.next()) return fail(ErrorCode::kFailedPrecondition, fmt::format("run {} is being deleted for good", run.id));
    ROOST_CHECK(rows.status());
  }
  const std::string reason = fmt::format("taken out of the bin by {}", who);
  for (const auto& run : runs) {
    ROOST_CHECK(tx.run("UPDATE run SET deleted = NULL WHERE seq = ?", run.seq));
    ROOST_CHECK(tx.run("UPDATE experiment SET runs_gone = runs_gone - 1, deleted = NULL"
                       " WHERE id = (SELECT experiment FROM run WHERE seq = ?)",
                       run.seq));
    ROOST_CHECK(tx.run("INSERT INTO event (run, attempt, from_status, to_status, at, reason)"
                       " SELECT seq, attempt, status, status, ?, ? FROM run WHERE seq = ?",
                       now, reason, run.seq));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> put_run_in_bin(Tx& tx, const Run& run, std::string_view who, Micros now) {
  if (is_in_bin(run)) return std::vector<std::string>();
  ROOST_CHECK(check_ended(tx.query(ROOST_RUN_AND_BELOW ROOST_NOT_ENDED, run.seq), run.id));
  ROOST_TRY(BinRows rows, read_rows(tx.query(ROOST_RUN_AND_BELOW ROOST_NOT_IN_BIN, run.seq)));
  ROOST_CHECK(put_in(tx, rows, who, now));
  return ids_of(std::move(rows));
}

Result<std::vector<std::string>> take_run_out_of_bin(Tx& tx, const Run& run, std::string_view who, Micros now) {
  if (!is_in_bin(run)) return std::vector<std::string>();
  ROOST_TRY(BinRows rows,
            read_rows(tx.query("WITH RECURSIVE below(seq, id, deleted) AS (SELECT seq, id, deleted FROM run WHERE seq = ?1"
                               " UNION SELECT c.seq, c.id, c.deleted FROM below b JOIN run c ON c.parent = b.id"
                               " WHERE c.deleted = b.deleted),"
                               " above(seq, id, deleted, parent) AS (SELECT seq, id, deleted, parent FROM run WHERE seq = ?1"
                               " UNION SELECT p.seq, p.id, p.deleted, p.parent FROM above a JOIN run p ON p.id = a.parent)"
                               " SELECT seq, id FROM below UNION SELECT seq, id FROM above WHERE deleted IS NOT NULL",
                               run.seq)));
  ROOST_CHECK(take_out(tx, rows, who, now));
  return ids_of(std::move(rows));
}

Result<std::vector<std::string>> put_experiment_in_bin(Tx& tx, const Experiment& experiment, std::string_view who, Micros now) {
  if (is_in_bin(experiment)) return std::vector<std::string>();
  ROOST_CHECK(check_ended(tx.query(ROOST_EXPERIMENT_AND_BELOW ROOST_NOT_ENDED, experiment.row),
                          fmt::format("the experiment {}", experiment.name)));
  ROOST_TRY(BinRows rows, read_rows(tx.query(ROOST_EXPERIMENT_AND_BELOW ROOST_NOT_IN_BIN, experiment.row)));
  ROOST_CHECK(put_in(tx, rows, who, now));
  ROOST_CHECK(tx.run("UPDATE experiment SET deleted = ? WHERE id = ?", now, experiment.row));
  return ids_of(std::move(rows));
}

Result<std::vector<std::string>> take_experiment_out_of_bin(Tx& tx, const Experiment& experiment, std::string_view who,
                                                            Micros now) {
  if (!is_in_bin(experiment)) return std::vector<std::string>();
  {
    Rows rows = tx.query("SELECT 1 FROM experiment WHERE id = ? AND purging = 1", experiment.row);
    if (rows.next()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the experiment \"{}\" is being deleted for good", printable(experiment.name)));
    }
    ROOST_CHECK(rows.status());
  }
  ROOST_TRY(BinRows rows,
            read_rows(tx.query("WITH RECURSIVE below(seq, id) AS (SELECT seq, id FROM run INDEXED BY run_in_bin_by_experiment"
                               " WHERE experiment = ?1 AND deleted = ?2"
                               " UNION SELECT c.seq, c.id FROM below b JOIN run c ON c.parent = b.id WHERE c.deleted = ?2)"
                               " SELECT seq, id FROM below",
                               experiment.row, *experiment.deleted)));
  ROOST_CHECK(take_out(tx, rows, who, now));
  ROOST_CHECK(tx.run("UPDATE experiment SET deleted = NULL WHERE id = ?", experiment.row));
  return ids_of(std::move(rows));
}

Status check_not_in_bin(const Run& run) {
  if (!is_in_bin(run)) return {};
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("run {} is in the bin; take it out first: roost runs restore {}", run.id, run.id));
}

Status check_not_in_bin(const Experiment& experiment) {
  if (!is_in_bin(experiment)) return {};
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("the experiment \"{0}\" of workspace {1} is in the bin; take it out first (roost runs restore "
                          "--experiment {0}) or choose another name",
                          printable(experiment.name), printable(experiment.workspace)));
}

}  // namespace roost
