#include "records/retention_records.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"
#include "mlflow/label_names.h"
#include "records/run_records.h"

namespace roost {
namespace {

struct Named {
  RunPart part;
  std::string_view name;
};
constexpr std::array<Named, 3> kParts = {{{RunPart::kOutputs, "outputs"}, {RunPart::kLogs, "logs"}, {RunPart::kSamples, "samples"}}};
constexpr std::int64_t kLongest = 100LL * 365 * 86'400;

std::optional<RunPart> part_from(std::string_view name) {
  for (const auto& one : kParts) {
    if (one.name == name) return one.part;
  }
  return std::nullopt;
}

Result<std::vector<RetentionRule>> read_rules(Rows rows) {
  std::vector<RetentionRule> all;
  while (rows.next()) {
    all.push_back({rows.text(0), rows.text(1), part_from(rows.bytes(2)).value_or(RunPart::kOutputs), rows.text(3), rows.text(4),
                   rows.integer(5), rows.integer(6), rows.text(7)});
  }
  ROOST_CHECK(rows.status());
  return all;
}

#define ROOST_RULE_COLUMNS "workspace, name, what, experiment, tag, age, created, created_by"

// ?1 workspace, ?2 experiment, ?3 key and ?4 value of a tag, ?5 latest end, ?6 the part, ?7 most, ?8 the run or null
#define ROOST_RUNS_FOR_RULE                                                                                                 \
  "SELECT r.seq FROM run r JOIN experiment e ON e.id = r.experiment WHERE r.workspace = ?1 AND r.status IN ('Completed',"   \
  " 'Failed', 'Canceled') AND r.ended <= ?5 AND (?2 = '' OR e.name = ?2) AND (?8 IS NULL OR r.seq = ?8)"                    \
  " AND (?3 = '' OR EXISTS (SELECT 1 FROM run_tag g WHERE g.run = r.seq AND g.key = ?3 AND (?4 IS NULL OR g.value = ?4)))"  \
  " AND NOT EXISTS (SELECT 1 FROM removed_part d WHERE d.run = r.seq AND d.what = ?6)"                                      \
  " AND NOT EXISTS (SELECT 1 FROM model m WHERE m.run = r.seq) AND NOT EXISTS (SELECT 1 FROM purge p WHERE p.run = r.seq)"  \
  " AND NOT EXISTS (SELECT 1 FROM sweep_trial t JOIN sweep s ON s.run = t.sweep WHERE t.run = r.seq AND s.is_active = 1)"   \
  " AND CASE ?6 WHEN 'outputs' THEN EXISTS (SELECT 1 FROM artifact a WHERE a.run = r.seq) WHEN 'samples' THEN"              \
  " EXISTS (SELECT 1 FROM system_block b WHERE b.run = r.seq) ELSE 1 END ORDER BY r.seq LIMIT ?7"

Result<std::vector<std::int64_t>> rows_for_rule(Tx& tx, const RetentionRule& rule, Micros now, std::int64_t limit,
                                                std::optional<std::int64_t> run) {
  const auto equals = rule.tag.find('=');
  const std::string key = rule.tag.substr(0, equals);
  std::optional<std::string> value;
  if (equals != std::string::npos) value = rule.tag.substr(equals + 1);
  std::vector<std::int64_t> all;
  Rows rows = tx.query(ROOST_RUNS_FOR_RULE, rule.workspace, rule.experiment, key, value, now - rule.age * kSecond,
                       run_part_name(rule.what), limit, run);
  while (rows.next()) all.push_back(rows.integer(0));
  ROOST_CHECK(rows.status());
  return all;
}

Result<RemovedRows> read_sum(Rows rows) {
  RemovedRows sum;
  if (rows.next()) sum = {rows.integer(0), rows.integer(1)};
  ROOST_CHECK(rows.status());
  return sum;
}

}  // namespace

std::string_view run_part_name(RunPart part) {
  for (const auto& one : kParts) {
    if (one.part == part) return one.name;
  }
  return "";
}

Result<RetentionRule> parse_retention_rule(const Json& body) {
  JsonFields fields(body, "the rule");
  RetentionRule rule;
  const std::string what = fields.required_string("what");
  rule.experiment = fields.string("experiment");
  rule.tag = fields.string("tag");
  rule.age = fields.integer("older_than_seconds", -1, 0, kLongest);
  ROOST_CHECK(fields.done());
  const auto part = part_from(what);
  if (!part) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"what\" is \"{}\"; it must be outputs, logs or samples", printable(what)));
  }
  if (rule.age < 0) return fail(ErrorCode::kInvalidArgument, "\"older_than_seconds\" is missing: how long after its end a run loses them");
  rule.what = *part;
  if (!rule.experiment.empty()) ROOST_CHECK(mlflow::check_experiment_name(rule.experiment));
  ROOST_CHECK(check_text(rule.tag, "the tag", 1200));
  if (rule.tag.starts_with('=')) return fail(ErrorCode::kInvalidArgument, "\"tag\" must be key or key=value");
  return rule;
}

Json retention_rule_json(const RetentionRule& rule) {
  return {{"name", rule.name},
          {"what", run_part_name(rule.what)},
          {"experiment", rule.experiment.empty() ? Json() : Json(rule.experiment)},
          {"tag", rule.tag.empty() ? Json() : Json(rule.tag)},
          {"older_than_seconds", rule.age},
          {"created_at", format_time(rule.created)},
          {"created_by", rule.created_by}};
}

Status save_retention_rule(Tx& tx, const RetentionRule& rule) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO retention_rule (" ROOST_RULE_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                     rule.workspace, rule.name, run_part_name(rule.what), rule.experiment, rule.tag, rule.age, rule.created,
                     rule.created_by));
  return {};
}

Result<RetentionRule> find_retention_rule(Tx& tx, std::string_view workspace, std::string_view name) {
  ROOST_TRY(auto all, read_rules(tx.query("SELECT " ROOST_RULE_COLUMNS " FROM retention_rule WHERE workspace = ? AND name = ?",
                                          workspace, name)));
  if (!all.empty()) return std::move(all.front());
  return fail(ErrorCode::kNotFound, fmt::format("there is no rule \"{}\" in workspace {}; `roost retention ls` lists them",
                                                printable(name), printable(workspace)));
}

Result<std::vector<RetentionRule>> list_retention_rules(Tx& tx, std::string_view workspace) {
  return read_rules(tx.query("SELECT " ROOST_RULE_COLUMNS " FROM retention_rule WHERE ?1 = '' OR workspace = ?1"
                             " ORDER BY workspace, name",
                             workspace));
}

Status delete_retention_rule(Tx& tx, const RetentionRule& rule) {
  ROOST_CHECK(tx.run("DELETE FROM retention_rule WHERE workspace = ? AND name = ?", rule.workspace, rule.name));
  return {};
}

Result<std::vector<Run>> runs_for_rule(Tx& tx, const RetentionRule& rule, Micros now, std::int64_t limit) {
  ROOST_TRY(const auto rows, rows_for_rule(tx, rule, now, limit, std::nullopt));
  std::vector<Run> runs;
  for (const std::int64_t row : rows) {
    ROOST_TRY(Run run, run_by_row(tx, row));
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<bool> rule_holds(Tx& tx, const RetentionRule& rule, const Run& run, Micros now) {
  ROOST_TRY(const auto same, read_rules(tx.query("SELECT " ROOST_RULE_COLUMNS " FROM retention_rule WHERE workspace = ? AND"
                                                 " name = ? AND what = ? AND experiment = ? AND tag = ? AND age = ?",
                                                 rule.workspace, rule.name, run_part_name(rule.what), rule.experiment, rule.tag,
                                                 rule.age)));
  if (same.empty()) return false;
  ROOST_TRY(const auto rows, rows_for_rule(tx, rule, now, 1, run.seq));
  return !rows.empty();
}

Result<RemovedRows> remove_rows(Tx& tx, std::int64_t run, RunPart part, std::int64_t limit) {
  RemovedRows removed;
  if (part == RunPart::kOutputs) {
    ROOST_TRY(removed, read_sum(tx.query("SELECT count(*), coalesce(sum(size), 0) FROM (SELECT size FROM artifact WHERE run = ?"
                                         " ORDER BY path LIMIT ?)",
                                         run, limit)));
    ROOST_CHECK(tx.run("DELETE FROM artifact WHERE (run, path) IN (SELECT run, path FROM artifact WHERE run = ? ORDER BY path"
                       " LIMIT ?)",
                       run, limit));
  } else if (part == RunPart::kSamples) {
    ROOST_TRY(removed, read_sum(tx.query("SELECT count(*), coalesce(sum(length(data)), 0) FROM (SELECT data FROM system_block"
                                         " WHERE run = ? ORDER BY node, first LIMIT ?)",
                                         run, limit)));
    ROOST_CHECK(tx.run("DELETE FROM system_block WHERE (run, node, first) IN (SELECT run, node, first FROM system_block"
                       " WHERE run = ? ORDER BY node, first LIMIT ?)",
                       run, limit));
  }
  return removed;
}

Result<RemovedRows> count_rows(Tx& tx, std::int64_t run, RunPart part) {
  if (part == RunPart::kOutputs) {
    return read_sum(tx.query("SELECT count(*), coalesce(sum(size), 0) FROM artifact WHERE run = ?", run));
  }
  if (part == RunPart::kSamples) {
    return read_sum(tx.query("SELECT count(*), coalesce(sum(length(data)), 0) FROM system_block WHERE run = ?", run));
  }
  return RemovedRows{};
}

Status note_removed(Tx& tx, const Run& run, const RetentionRule& rule, const std::string& what, Micros now) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO removed_part VALUES (?, ?, ?, ?)", run.seq, run_part_name(rule.what), rule.name, now));
  return note_event(tx, run, fmt::format("{} removed by rule {}", what, rule.name), now);
}

Status check_not_removed(Tx& tx, const Run& run, RunPart part) {
  Rows rows = tx.query("SELECT rule, at FROM removed_part WHERE run = ? AND what = ?", run.seq, run_part_name(part));
  if (!rows.next()) return rows.status();
  return fail(ErrorCode::kNotFound, fmt::format("the {} of run {} are gone: the retention rule \"{}\" removed them on {}",
                                                part == RunPart::kSamples ? "system samples" : run_part_name(part), run.id,
                                                printable(rows.text(0)), format_time(rows.integer(1))));
}

}  // namespace roost
