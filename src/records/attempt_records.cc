#include "records/attempt_records.h"

#include <array>

#include <fmt/format.h>

#include "records/run_records.h"

namespace roost {
namespace {

constexpr std::array<std::string_view, 5> kStates = {"assigned", "ready", "started", "finished", "lost"};

#define ROOST_ATTEMPT_COLUMNS "run, attempt, node, open, created, stopping, preempted"
#define ROOST_PART_COLUMNS \
  "p.run, p.attempt, p.node_rank, p.node, p.state, p.facts_json, p.report_json, p.command_json, p.ended"

Result<std::vector<Attempt>> read_attempts(Rows rows) {
  std::vector<Attempt> all;
  while (rows.next()) {
    all.push_back({rows.integer(0), rows.integer(1), rows.text(2), rows.integer(3) != 0, rows.integer(4),
                   rows.maybe_integer(5), rows.is_null(6) ? std::nullopt : std::optional(rows.text(6))});
  }
  ROOST_CHECK(rows.status());
  return all;
}

Result<std::optional<Attempt>> first(Result<std::vector<Attempt>> all) {
  ROOST_TRY(auto found, std::move(all));
  if (found.empty()) return std::optional<Attempt>();
  return std::optional(std::move(found.front()));
}

PartState state_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    if (kStates[i] == name) return static_cast<PartState>(i);
  }
  return PartState::kLost;
}

std::string json_text(const Json& value) { return value.is_null() ? std::string() : to_text(value); }

Result<std::vector<AttemptPart>> read_parts(Rows rows) {
  std::vector<AttemptPart> all;
  while (rows.next()) {
    AttemptPart part;
    part.run = rows.integer(0);
    part.attempt = rows.integer(1);
    part.node_rank = static_cast<int>(rows.integer(2));
    part.node = rows.text(3);
    part.state = state_from_name(rows.text(4));
    part.facts = stored_json(rows.text(5));
    part.report = stored_json(rows.text(6));
    part.command = stored_json(rows.text(7));
    part.ended = rows.integer(8);
    all.push_back(std::move(part));
  }
  ROOST_CHECK(rows.status());
  return all;
}

}  // namespace

std::string_view part_state_name(PartState state) { return kStates[static_cast<std::size_t>(state)]; }

Status insert_attempt(Tx& tx, const Attempt& attempt, const std::vector<std::string>& nodes,
                      std::string_view token_hash, Micros now) {
  ROOST_CHECK(tx.run("INSERT INTO attempt (run, attempt, node, token_hash, created)"
                     " VALUES (?, ?, ?, ?, ?)",
                     attempt.run, attempt.attempt, attempt.node, token_hash, now));
  std::int64_t node_rank = 0;
  for (const auto& node : nodes) {
    ROOST_CHECK(tx.run("INSERT INTO attempt_part (run, attempt, node_rank, node, state) VALUES (?, ?, ?, ?, ?)",
                       attempt.run, attempt.attempt, node_rank++, node, kStates[0]));
  }
  return {};
}

Status close_attempt(Tx& tx, std::int64_t run, std::int64_t attempt) {
  ROOST_CHECK(tx.run("UPDATE attempt SET open = 0 WHERE run = ? AND attempt = ?", run, attempt));
  return {};
}

Result<bool> stop_attempt(Tx& tx, std::int64_t run, std::int64_t attempt, Micros now) {
  ROOST_TRY(const auto open, open_attempt(tx, run));
  if (!open || open->attempt != attempt || open->stopping) return false;
  ROOST_CHECK(tx.run("UPDATE attempt SET stopping = ? WHERE run = ? AND attempt = ?", now, run, attempt));
  return true;
}

Result<bool> preempt_attempt(Tx& tx, std::int64_t run, std::int64_t attempt, const std::string& why, Micros now) {
  ROOST_TRY(const bool first, stop_attempt(tx, run, attempt, now));
  if (!first) return false;
  ROOST_CHECK(tx.run("UPDATE attempt SET preempted = ? WHERE run = ? AND attempt = ?", why, run, attempt));
  return true;
}

Result<std::vector<std::int64_t>> preempted_attempts(Tx& tx, std::int64_t run) {
  std::vector<std::int64_t> all;
  Rows rows = tx.query("SELECT attempt FROM attempt WHERE run = ? AND preempted IS NOT NULL", run);
  while (rows.next()) all.push_back(rows.integer(0));
  ROOST_CHECK(rows.status());
  return all;
}

Result<std::optional<Attempt>> attempt_for_token(Tx& tx, std::string_view token_hash) {
  return first(read_attempts(tx.query("SELECT " ROOST_ATTEMPT_COLUMNS " FROM attempt WHERE token_hash = ?", token_hash)));
}

Result<std::optional<Attempt>> open_attempt(Tx& tx, std::int64_t run) {
  return first(read_attempts(tx.query("SELECT " ROOST_ATTEMPT_COLUMNS " FROM attempt WHERE run = ? AND open = 1", run)));
}

Result<std::vector<Attempt>> stopping_attempts(Tx& tx) {
  return read_attempts(tx.query("SELECT " ROOST_ATTEMPT_COLUMNS
                                " FROM attempt WHERE open = 1 AND stopping IS NOT NULL"));
}

Result<std::vector<std::pair<std::string, AttemptPart>>> all_open_parts(Tx& tx) {
  std::vector<std::pair<std::string, AttemptPart>> all;
  Rows rows = tx.query("SELECT r.id, p.run, p.attempt, p.node_rank, p.node FROM attempt a INDEXED BY attempt_open"
                       " CROSS JOIN attempt_part p ON p.run = a.run AND p.attempt = a.attempt"
                       " JOIN run r ON r.seq = a.run WHERE a.open = 1 AND p.state IN ('assigned', 'ready', 'started')");
  while (rows.next()) {
    AttemptPart part;
    part.run = rows.integer(1);
    part.attempt = rows.integer(2);
    part.node_rank = static_cast<int>(rows.integer(3));
    part.node = rows.text(4);
    all.emplace_back(rows.text(0), std::move(part));
  }
  ROOST_CHECK(rows.status());
  return all;
}

Result<std::vector<AttemptPart>> canceled_parts(Tx& tx) {
  return read_parts(tx.query("SELECT " ROOST_PART_COLUMNS
                             " FROM attempt a INDEXED BY attempt_open CROSS JOIN run r ON r.seq = a.run"
                             " JOIN attempt_part p ON p.run = a.run AND p.attempt = a.attempt"
                             " WHERE a.open = 1 AND r.status = 'CancelRequested'"
                             " AND p.state IN ('assigned', 'ready', 'started')"));
}

Result<std::vector<AttemptPart>> open_parts(Tx& tx, std::string_view node) {
  return read_parts(tx.query("SELECT " ROOST_PART_COLUMNS
                             " FROM attempt_part p INDEXED BY attempt_part_open JOIN attempt a ON a.run = p.run"
                             " AND a.attempt = p.attempt WHERE p.node = ? AND p.state IN ('assigned', 'ready',"
                             " 'started') AND a.open = 1",
                             node));
}

Result<std::vector<AttemptPart>> attempt_parts(Tx& tx, std::int64_t run, std::int64_t attempt) {
  return read_parts(tx.query("SELECT " ROOST_PART_COLUMNS
                             " FROM attempt_part p WHERE p.run = ? AND p.attempt = ? ORDER BY p.node_rank",
                             run, attempt));
}

Status save_part(Tx& tx, const AttemptPart& part) {
  ROOST_CHECK(tx.run("UPDATE attempt_part SET state = ?, facts_json = ?, report_json = ?, command_json = ?,"
                     " ended = ? WHERE run = ? AND attempt = ? AND node_rank = ?",
                     part_state_name(part.state), json_text(part.facts), json_text(part.report),
                     json_text(part.command), part.ended, part.run, part.attempt, part.node_rank));
  return {};
}

Result<std::vector<std::string>> nodes_of_run(Tx& tx, std::int64_t run, std::int64_t attempt) {
  std::vector<std::string> nodes;
  ROOST_TRY(const auto parts, attempt_parts(tx, run, attempt));
  for (const auto& part : parts) nodes.push_back(part.node);
  return nodes;
}

Status check_attempt_open(Tx& tx, const Run& run, std::int64_t attempt) {
  ROOST_TRY(const auto open, open_attempt(tx, run.seq));
  if (open && open->attempt == attempt) return {};
  return fail(ErrorCode::kGivenUp,
              fmt::format("attempt {} of run {} has ended or was given up", attempt, run.id));
}

Result<std::int64_t> count_open_attempts(Tx& tx) {
  Rows rows = tx.query("SELECT count(*) FROM attempt WHERE open = 1");
  const std::int64_t count = rows.next() ? rows.integer(0) : 0;
  ROOST_CHECK(rows.status());
  return count;
}

Result<std::vector<std::pair<std::int64_t, Micros>>> open_deadlines(Tx& tx) {
  std::vector<std::pair<std::int64_t, Micros>> all;
  Rows rows = tx.query(
      // By the attempts, which are as many as there are nodes, however many runs wait.
      "SELECT r.seq, r.deadline FROM attempt a INDEXED BY attempt_open CROSS JOIN run r ON r.seq = a.run"
      " WHERE a.open = 1 AND r.deadline IS NOT NULL");
  while (rows.next()) all.emplace_back(rows.integer(0), rows.integer(1));
  ROOST_CHECK(rows.status());
  return all;
}

Result<AttemptPart> unreported_part(Tx& tx, const Run& run, int node_rank) {
  ROOST_TRY(const auto parts, attempt_parts(tx, run.seq, run.attempt));
  for (const auto& part : parts) {
    if (part.node_rank == node_rank && !part.is_over()) return part;
  }
  return fail(ErrorCode::kGivenUp,
              fmt::format("node {} of attempt {} of run {} has ended or was given up", node_rank, run.attempt, run.id));
}

Result<Run> find_open_run(Tx& tx, const AttemptName& name) {
  ROOST_TRY(Run run, find_run(tx, name.run));
  ROOST_CHECK(check_attempt_open(tx, run, name.attempt));
  return run;
}

}  // namespace roost
