#include "records/run_records.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/run_params.h"
#include "records/alert_records.h"

namespace roost {
namespace {

// The row is bound three times.
#define ROOST_FAMILY                                                                                       \
  "WITH RECURSIVE below(id, seq) AS (SELECT id, seq FROM run WHERE seq = ?"                                \
  " UNION SELECT c.id, c.seq FROM below b JOIN run c ON c.parent = b.id),"                                 \
  " above(parent, seq) AS (SELECT parent, seq FROM run WHERE seq = ?"                                      \
  " UNION SELECT p.parent, p.seq FROM above a JOIN run p ON p.id = a.parent)"                              \
  " SELECT seq FROM below UNION SELECT seq FROM above"                                                     \
  " UNION SELECT s.seq FROM run o JOIN run s ON s.parent = o.parent WHERE o.seq = ?"

constexpr const char* kInFamily = " AND r.seq IN (" ROOST_FAMILY ")";

#define ROOST_RUN_COLUMNS                                                                            \
  "r.seq, r.id, r.workspace, e.name, r.experiment, r.number, r.display_name, r.status, r.type, "     \
  "r.parent, r.compute, r.priority, r.created_by, r.created, r.started, r.ended, r.attempt, "        \
  "r.max_retries, r.snapshot, r.spec_json, r.environment_json, r.git_json, r.tags_json, "            \
  "r.properties_json, r.exit_code, r.signal, r.error_json, r.notices_json, r.node, r.cancel_reason, "\
  "r.deadline, r.archived, r.held, r.deleted"

Json stored_json(const Rows& rows, int column) {
  if (rows.is_null(column)) return {};
  return ::roost::stored_json(rows.bytes(column));
}

std::optional<std::string> maybe_text(const Rows& rows, int column) {
  if (rows.is_null(column)) return std::nullopt;
  return rows.text(column);
}

Run read_run(const Rows& rows) {
  Run run;
  run.seq = rows.integer(0);
  run.id = rows.text(1);
  run.workspace = rows.text(2);
  run.experiment = rows.text(3);
  run.experiment_row = rows.integer(4);
  run.number = rows.integer(5);
  run.display_name = rows.text(6);
  run.status = status_from_name(rows.bytes(7)).value_or(RunStatus::kFailed);
  run.type = rows.text(8);
  run.parent = maybe_text(rows, 9);
  run.compute = rows.text(10);
  run.priority = rows.integer(11);
  run.created_by = rows.text(12);
  run.created = rows.integer(13);
  run.started = rows.maybe_integer(14);
  run.ended = rows.maybe_integer(15);
  run.attempt = rows.integer(16);
  run.max_retries = rows.integer(17);
  run.snapshot = maybe_text(rows, 18);
  run.spec = stored_json(rows, 19);
  run.environment = stored_json(rows, 20);
  run.git = stored_json(rows, 21);
  run.tags = stored_json(rows, 22);
  run.properties = stored_json(rows, 23);
  run.exit_code = rows.maybe_integer(24);
  run.signal = rows.maybe_integer(25);
  run.error = stored_json(rows, 26);
  run.notices = stored_json(rows, 27);
  run.node = maybe_text(rows, 28);
  run.cancel_reason = rows.text(29);
  run.deadline = rows.maybe_integer(30);
  run.archived = rows.integer(31) != 0;
  run.held = rows.integer(32) != 0;
  run.deleted = rows.maybe_integer(33);
  return run;
}

std::optional<std::string> json_or_null(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return to_text(value);
}

Result<std::vector<Run>> read_all(Rows rows) {
  std::vector<Run> runs;
  while (rows.next()) runs.push_back(read_run(rows));
  ROOST_CHECK(rows.status());
  return runs;
}

Result<Run> read_one(Rows rows, std::string_view name) {
  if (rows.next()) return read_run(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no run \"{}\"; 'roost runs' lists them", printable(name)));
}

Status add_event(Tx& tx, const Run& run, std::string_view from, std::string_view reason, Micros at) {
  ROOST_CHECK(tx.run("INSERT INTO event (run, attempt, from_status, to_status, at, reason)"
                     " VALUES (?, ?, ?, ?, ?, ?)",
                     run.seq, run.attempt, from, status_name(run.status), at, reason));
  return {};
}

Status insert_tags(Tx& tx, const Run& run) {
  for (const auto& item : run.tags.items()) {
    const Json& value = item.value();
    ROOST_CHECK(tx.run("INSERT INTO run_tag VALUES (?, ?, ?)", run.seq, item.key(),
                       value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt));
    ROOST_CHECK(know_column(tx, run.workspace, "tags", item.key()));
  }
  return {};
}

// One statement for the runs of one status (or all), with only the conditions that are asked for.
struct Selection {
  std::string sql;
  std::vector<DbValue> values;

  template <class T>
  void where(std::string_view condition, const T& value) {
    sql += " AND ";
    sql += condition;
    values.push_back(db_value(value));
  }
};

}  // namespace

Result<Run> find_run(Tx& tx, std::string_view id) {
  auto found = read_one(tx.query("SELECT " ROOST_RUN_COLUMNS
                                 " FROM run r JOIN experiment e ON e.id = r.experiment WHERE r.id = ? AND r.workspace <> ''",
                                 id),
                        id);
  if (found || found.error().code != ErrorCode::kNotFound) return found;
  Rows rows = tx.query("SELECT who, at FROM purged_run WHERE id = ?", id);
  if (!rows.next()) return found;
  return fail(ErrorCode::kNotFound, fmt::format("run {} is not there any more: it was deleted for good by {} on {}",
                                                printable(id), rows.text(0), format_time(rows.integer(1))));
}

Result<RunStatus> run_status(Tx& tx, std::int64_t seq) {
  Rows rows = tx.query("SELECT status FROM run WHERE seq = ?", seq);
  if (rows.next()) return status_from_name(rows.bytes(0)).value_or(RunStatus::kFailed);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound, fmt::format("there is no run in row {}", seq));
}

Result<Run> run_by_row(Tx& tx, std::int64_t seq) {
  return read_one(tx.query("SELECT " ROOST_RUN_COLUMNS
                           " FROM run r JOIN experiment e ON e.id = r.experiment WHERE r.seq = ?",
                           seq),
                  std::to_string(seq));
}

Status insert_run(Tx& tx, Run& run) {
  ROOST_CHECK(tx.run("UPDATE experiment SET run_count = run_count + 1, last_run = ? WHERE id = ?",
                     run.created, run.experiment_row));
  {
    Rows rows = tx.query("SELECT run_count FROM experiment WHERE id = ?", run.experiment_row);
    if (rows.next()) run.number = rows.integer(0);
    ROOST_CHECK(rows.status());
  }
  if (run.display_name.empty()) run.display_name = fmt::format("{}-{}", run.experiment, run.number);
  run.status = RunStatus::kStarting;
  ROOST_CHECK(tx.run(
      "INSERT INTO run (id, workspace, experiment, number, display_name, status, type, parent, compute,"
      " priority, created_by, created, max_retries, snapshot, spec_json, environment_json, git_json,"
      " tags_json, properties_json, notices_json, nodes_needed, time_limit, resources_json)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      run.id, run.workspace, run.experiment_row, run.number, run.display_name,
      status_name(run.status), run.type, run.parent, run.compute, run.priority, run.created_by,
      run.created, run.max_retries, run.snapshot, to_text(run.spec), to_text(run.environment),
      json_or_null(run.git), to_text(run.tags), to_text(run.properties), to_text(run.notices), nodes_needed(run),
      time_limit_seconds(run), json_or_null(member(run.spec, "resources"))));
  run.seq = tx.last_insert_id();
  ROOST_CHECK(insert_tags(tx, run));
  for (const auto& param : run_params(run.spec)) {
    ROOST_CHECK(tx.run("INSERT INTO run_param (run, name, value, number) VALUES (?, ?, ?, ?)", run.seq, param.name, param.value, param.number));
    ROOST_CHECK(know_column(tx, run.workspace, "params", param.name));
  }
  return add_event(tx, run, "", "submitted", run.created);
}

Status pass_status(Tx& tx, Run& run, RunStatus to, std::string_view reason, Micros at) {
  if (!may_follow(run.status, to)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("run {} is {}, so it cannot become {}", run.id, status_name(run.status),
                            status_name(to)));
  }
  const std::string_view from = status_name(run.status);
  run.status = to;
  if (is_terminal(to)) run.ended = at;
  ROOST_CHECK(add_event(tx, run, from, reason, at));
  return is_terminal(to) ? raise_end(tx, run, std::string(reason), at) : Status();
}

Status move_run(Tx& tx, Run& run, RunStatus to, std::string_view reason, Micros at) {
  ROOST_CHECK(pass_status(tx, run, to, reason, at));
  return save_run(tx, run);
}

Status resume_run(Tx& tx, Run& run, std::string_view reason, Micros at) {
  if (run.type != kInteractiveType || !is_terminal(run.status)) die("only an interactive run that has ended is resumed");
  const std::string_view from = status_name(run.status);
  run.status = RunStatus::kRunning;
  run.ended.reset();
  run.error = nullptr;
  run.cancel_reason.clear();
  ROOST_CHECK(add_event(tx, run, from, reason, at));
  return save_run(tx, run);
}

Status note_event(Tx& tx, const Run& run, std::string_view reason, Micros at) {
  return add_event(tx, run, status_name(run.status), reason, at);
}

// A column that is set costs the indexes it is in, also if its value stays: those are left alone unless it changes.
Status save_run(Tx& tx, const Run& run) {
  ROOST_TRY(const std::int64_t changed,
            tx.run("UPDATE run SET attempt = ?, exit_code = ?, signal = ?, error_json = ?, notices_json = ?, node = ?,"
                   " cancel_reason = ?, deadline = ?, properties_json = ?, environment_json = ? WHERE seq = ?",
                   run.attempt, run.exit_code, run.signal, json_or_null(run.error), to_text(run.notices), run.node,
                   run.cancel_reason, run.deadline, to_text(run.properties), to_text(run.environment), run.seq));
  ROOST_CHECK(tx.run("UPDATE run SET status = ?1, started = ?2, ended = ?3"
                     " WHERE seq = ?4 AND (status IS NOT ?1 OR started IS NOT ?2 OR ended IS NOT ?3)",
                     status_name(run.status), run.started, run.ended, run.seq));
  ROOST_CHECK(tx.run("UPDATE run SET display_name = ?1, archived = ?2"
                     " WHERE seq = ?3 AND (display_name IS NOT ?1 OR archived IS NOT ?2)",
                     run.display_name, run.archived, run.seq));
  if (changed != 1) return fail(ErrorCode::kInternal, "run " + run.id + " has no row");
  return {};
}

Status replace_tags(Tx& tx, Run& run, Json tags) {
  run.tags = std::move(tags);
  ROOST_CHECK(tx.run("UPDATE run SET tags_json = ? WHERE seq = ?", to_text(run.tags), run.seq));
  ROOST_CHECK(tx.run("DELETE FROM run_tag WHERE run = ?", run.seq));
  return insert_tags(tx, run);
}

Status set_held(Tx& tx, Run& run, bool held) {
  run.held = held;
  ROOST_CHECK(tx.run("UPDATE run SET held = ? WHERE seq = ?", held, run.seq));
  return {};
}

Status add_notice(Tx& tx, Run& run, const std::string& notice) {
  if (std::find(run.notices.begin(), run.notices.end(), notice) != run.notices.end()) return {};
  run.notices.push_back(notice);
  return save_run(tx, run);
}

Status know_column(Tx& tx, std::string_view workspace, std::string_view kind, std::string_view name) {
  ROOST_CHECK(tx.run("INSERT OR IGNORE INTO run_column VALUES (?, ?, ?)", workspace, kind, name));
  return {};
}

Result<std::vector<RunEvent>> run_events(Tx& tx, std::int64_t seq) {
  std::vector<RunEvent> events;
  Rows rows = tx.query(
      "SELECT seq, attempt, from_status, to_status, at, reason FROM event WHERE run = ? ORDER BY seq",
      seq);
  while (rows.next()) {
    events.push_back({rows.integer(0), rows.integer(1), rows.text(2), rows.text(3), rows.integer(4),
                      rows.text(5)});
  }
  ROOST_CHECK(rows.status());
  return events;
}

Result<RunSet> family_rows(Tx& tx, std::int64_t row) {
  RunSet family;
  Rows rows = tx.query(ROOST_FAMILY, row, row, row);
  while (rows.next()) family.add(rows.integer(0));
  ROOST_CHECK(rows.status());
  return family;
}

Result<RunPage> list_runs(Tx& tx, const RunFilter& filter) {
  std::optional<std::int64_t> experiment;
  if (!filter.experiment.empty()) {
    Rows rows = tx.query("SELECT id FROM experiment WHERE workspace = ? AND name = ?", filter.workspace,
                         filter.experiment);
    if (!rows.next()) return RunPage{};
    experiment = rows.integer(0);
  }
  // Runs are numbered in order of creation: a bound in time is a bound on seq.
  std::optional<std::int64_t> newest = filter.before_seq;
  if (filter.created_before) {
    Rows rows = tx.query(
        "SELECT seq FROM run WHERE workspace = ? AND created < ? ORDER BY created DESC LIMIT 1",
        filter.workspace, *filter.created_before);
    if (!rows.next()) return RunPage{};
    newest = std::min(newest.value_or(INT64_MAX), rows.integer(0) + 1);
  }
  std::vector<std::string> statuses = filter.statuses;
  if (statuses.empty()) statuses.emplace_back();

  std::vector<Run> found;
  for (const auto& status : statuses) {
    // The most selective index first: SQLite keeps the order of a CROSS JOIN.
    Selection select{"SELECT " ROOST_RUN_COLUMNS " FROM ", {}};
    select.sql += filter.tags.empty() ? "run r" : "run_tag t CROSS JOIN run r ON r.seq = t.run";
    select.sql += " JOIN experiment e ON e.id = r.experiment WHERE 1 = 1";
    bool first_tag = true;
    std::vector<std::string> kept;  // the bound text must outlive the query
    kept.reserve((filter.tags.size() + filter.properties.size()) * 2);
    for (const auto& tag : filter.tags) {
      const auto equals = tag.find('=');
      const bool has_value = equals != std::string::npos;
      const std::string_view key = kept.emplace_back(tag.substr(0, equals));
      if (first_tag) {
        select.where("t.key = ?", key);
        if (has_value) select.where("t.value = ?", kept.emplace_back(tag.substr(equals + 1)));
      } else if (has_value) {
        select.where("EXISTS (SELECT 1 FROM run_tag x WHERE x.key = ?", key);
        select.where("x.value = ?", kept.emplace_back(tag.substr(equals + 1)));
        select.sql += " AND x.run = r.seq)";
      } else {
        select.where("EXISTS (SELECT 1 FROM run_tag x WHERE x.key = ?", key);
        select.sql += " AND x.run = r.seq)";
      }
      first_tag = false;
    }
    if (experiment) select.where("r.experiment = ?", *experiment);
    select.where("r.workspace = ?", filter.workspace);
    if (!status.empty()) select.where("r.status = ?", status);
    if (!filter.compute.empty()) select.where("r.compute = ?", filter.compute);
    if (!filter.parent.empty()) select.where("r.parent = ?", filter.parent);
    if (filter.bin == InBin::kLeftOut) select.sql += " AND r.deleted IS NULL";
    if (filter.bin == InBin::kOnly) select.sql += " AND r.deleted IS NOT NULL";
    if (filter.top_level) select.sql += " AND r.parent IS NULL";
    if (!filter.type.empty()) select.where("r.type = ?", filter.type);
    for (const auto& property : filter.properties) {
      const auto equals = property.find('=');
      select.where("EXISTS (SELECT 1 FROM json_each(r.properties_json) p WHERE p.key = ?",
                   kept.emplace_back(property.substr(0, equals)));
      if (equals != std::string::npos) {
        select.where("p.value = ?", kept.emplace_back(property.substr(equals + 1)));
      }
      select.sql += ")";
    }
    if (filter.family_of) {
      select.sql += kInFamily;
      for (int use = 0; use < 3; ++use) select.values.push_back(db_value(*filter.family_of));
    }
    if (filter.created_after) select.where("r.created >= ?", *filter.created_after);
    if (!filter.name.empty()) {
      select.where("(instr(r.display_name, ?) > 0", filter.name);
      select.sql += " OR instr(r.id, ?) > 0)";
      select.values.push_back(db_value(filter.name));
    }
    if (newest) select.where("r.seq < ?", *newest);
    select.sql += filter.tags.empty() ? " ORDER BY r.seq DESC LIMIT ?" : " ORDER BY t.run DESC LIMIT ?";
    select.values.push_back(db_value(filter.limit + 1));
    ROOST_TRY(auto runs, read_all(tx.query_values(select.sql, select.values)));
    std::move(runs.begin(), runs.end(), std::back_inserter(found));
  }
  std::sort(found.begin(), found.end(), [](const Run& a, const Run& b) { return a.seq > b.seq; });
  RunPage page;
  if (found.size() > static_cast<std::size_t>(filter.limit)) {
    found.resize(static_cast<std::size_t>(filter.limit));
    page.next = found.back().seq;
  }
  page.runs = std::move(found);
  return page;
}

Result<std::vector<Run>> waiting_runs(Tx& tx, std::string_view workspace, std::string_view compute,
                                      std::int64_t limit) {
  return read_all(tx.query(
      "SELECT " ROOST_RUN_COLUMNS " FROM run r INDEXED BY run_waiting JOIN experiment e"
      " ON e.id = r.experiment WHERE r.status IN ('Queued', 'Provisioning') AND r.compute = ?"
      " AND r.workspace = ? AND r.held = 0 AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.run = r.seq"
      " AND a.attempt = r.attempt AND a.open = 1) ORDER BY r.priority DESC, r.seq LIMIT ?",
      compute, workspace, limit));
}

Result<std::int64_t> count_waiting(Tx& tx, std::string_view workspace, std::string_view compute,
                                   std::int64_t most) {
  Rows rows = tx.query(
      "SELECT count(*) FROM (SELECT 1 FROM run r INDEXED BY run_waiting WHERE r.status IN ('Queued',"
      " 'Provisioning') AND r.compute = ? AND r.workspace = ? AND r.held = 0 AND NOT EXISTS (SELECT 1 FROM attempt a"
      " WHERE a.run = r.seq AND a.attempt = r.attempt AND a.open = 1) LIMIT ?)",
      compute, workspace, most);
  std::int64_t count = 0;
  if (rows.next()) count = rows.integer(0);
  ROOST_CHECK(rows.status());
  return count;
}

Result<std::vector<Run>> active_runs(Tx& tx) {
  return read_all(tx.query(
      "SELECT " ROOST_RUN_COLUMNS " FROM run r INDEXED BY run_active JOIN experiment e"
      " ON e.id = r.experiment WHERE r.status NOT IN ('Completed', 'Failed', 'Canceled')"
      " ORDER BY r.seq"));
}

Result<std::vector<RunEvent>> run_events_after(Tx& tx, std::int64_t seq, std::int64_t after) {
  std::vector<RunEvent> events;
  Rows rows = tx.query(
      "SELECT seq, attempt, from_status, to_status, at, reason FROM event WHERE run = ? AND seq > ?"
      " ORDER BY seq",
      seq, after);
  while (rows.next()) {
    events.push_back({rows.integer(0), rows.integer(1), rows.text(2), rows.text(3), rows.integer(4), rows.text(5)});
  }
  ROOST_CHECK(rows.status());
  return events;
}

Result<Micros> newest_event_time(Tx& tx, std::int64_t seq) {
  Rows rows = tx.query("SELECT at FROM event WHERE run = ? ORDER BY seq DESC LIMIT 1", seq);
  const Micros at = rows.next() ? rows.integer(0) : 0;
  ROOST_CHECK(rows.status());
  return at;
}

Result<std::string> newest_reason(Tx& tx, std::int64_t seq) {
  Rows rows = tx.query("SELECT reason FROM event WHERE run = ? ORDER BY seq DESC LIMIT 1", seq);
  std::string reason = rows.next() ? rows.text(0) : "";
  ROOST_CHECK(rows.status());
  return reason;
}

Status insert_input(Tx& tx, const Run& run, const std::string& name, const std::string& content) {
  ROOST_CHECK(tx.run("INSERT INTO run_input VALUES (?, ?, ?)", run.seq, name, content));
  return {};
}

Result<std::vector<std::pair<std::string, std::int64_t>>> count_active_by_status(Tx& tx) {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  Rows rows = tx.query(
      "SELECT status, count(*) FROM run INDEXED BY run_active WHERE status NOT IN ('Completed',"
      " 'Failed', 'Canceled') GROUP BY status");
  while (rows.next()) counts.emplace_back(rows.text(0), rows.integer(1));
  ROOST_CHECK(rows.status());
  return counts;
}

}  // namespace roost
