#include "records/logged_model_records.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

#define ROOST_LOGGED_MODEL_COLUMNS \
  "seq, id, workspace, experiment, name, model_type, status, run, created, updated, params_json, tags_json"

LoggedModel read_model(const Rows& rows) {
  LoggedModel model;
  model.seq = rows.integer(0);
  model.id = rows.text(1);
  model.workspace = rows.text(2);
  model.experiment = rows.integer(3);
  model.name = rows.text(4);
  model.type = rows.text(5);
  model.status = rows.text(6);
  model.run = rows.maybe_integer(7);
  model.created = rows.integer(8);
  model.updated = rows.integer(9);
  model.params = stored_json(rows.bytes(10));
  model.tags = stored_json(rows.bytes(11));
  return model;
}

Artifact read_file(const Rows& rows) {
  return {rows.text(0), rows.text(1), static_cast<std::uint64_t>(rows.integer(2)), rows.integer(3)};
}

}  // namespace

Status insert_logged_model(Tx& tx, LoggedModel& model) {
  ROOST_CHECK(
      tx.run("INSERT INTO logged_model (id, workspace, experiment, name, model_type, status, run, created, updated,"
             " params_json, tags_json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
             model.id, model.workspace, model.experiment, model.name, model.type, model.status, model.run,
             model.created, model.updated, to_text(model.params), to_text(model.tags)));
  model.seq = tx.last_insert_id();
  return {};
}

Result<LoggedModel> find_logged_model(Tx& tx, std::string_view workspace, std::string_view id) {
  Rows rows =
      tx.query("SELECT " ROOST_LOGGED_MODEL_COLUMNS " FROM logged_model WHERE id = ? AND workspace = ? AND deleted = 0",
               id, workspace);
  if (rows.next()) return read_model(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound, fmt::format("Logged model with ID '{}' not found.", printable(id)));
}

Status save_logged_model(Tx& tx, const LoggedModel& model) {
  ROOST_CHECK(
      tx.run("UPDATE logged_model SET name = ?, status = ?, updated = ?, params_json = ?, tags_json = ? WHERE seq = ?",
             model.name, model.status, model.updated, to_text(model.params), to_text(model.tags), model.seq));
  return {};
}

Status delete_logged_model(Tx& tx, const LoggedModel& model) {
  ROOST_CHECK(tx.run("DELETE FROM logged_model_file WHERE model = ?", model.seq));
  ROOST_CHECK(tx.run("UPDATE logged_model SET deleted = 1 WHERE seq = ?", model.seq));
  return {};
}

Result<std::vector<LoggedModel>> list_logged_models(Tx& tx, std::string_view workspace,
                                                    const std::vector<std::int64_t>& experiments) {
  std::vector<LoggedModel> all;
  for (const std::int64_t experiment : experiments) {
    Rows rows = tx.query("SELECT " ROOST_LOGGED_MODEL_COLUMNS
                         " FROM logged_model WHERE experiment = ? AND workspace = ?"
                         " AND deleted = 0",
                         experiment, workspace);
    while (rows.next()) all.push_back(read_model(rows));
    ROOST_CHECK(rows.status());
  }
  std::sort(all.begin(), all.end(), [](const LoggedModel& a, const LoggedModel& b) { return a.seq > b.seq; });
  return all;
}

Status put_logged_model_metric(Tx& tx, const LoggedModel& model, const LoggedModelMetric& metric) {
  // SQLite keeps NaN as null.
  ROOST_CHECK(
      tx.run("INSERT INTO logged_model_metric VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
             " value = excluded.value, at = excluded.at, step = excluded.step"
             " WHERE (excluded.step, excluded.at) >= (step, at)",
             model.seq, metric.name, metric.dataset_name, metric.dataset_digest, metric.run, metric.value, metric.at,
             metric.step));
  return {};
}

Result<std::vector<LoggedModelMetric>> list_logged_model_metrics(Tx& tx, const LoggedModel& model) {
  std::vector<LoggedModelMetric> all;
  Rows rows = tx.query(
      "SELECT name, value, at, step, run, dataset_name, dataset_digest FROM logged_model_metric WHERE model = ?",
      model.seq);
  while (rows.next()) {
    all.push_back({rows.text(0), rows.is_null(1) ? std::numeric_limits<double>::quiet_NaN() : rows.real(1),
                   rows.integer(2), rows.integer(3), rows.integer(4), rows.text(5), rows.text(6)});
  }
  ROOST_CHECK(rows.status());
  return all;
}

Status put_model_file(Tx& tx, const LoggedModel& model, const OutputFile& file, Micros now) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO logged_model_file VALUES (?, ?, ?, ?, ?)", model.seq, file.path,
                     file.digest, static_cast<std::int64_t>(file.size), now));
  return {};
}

Status remove_model_file(Tx& tx, const LoggedModel& model, const std::string& path) {
  ROOST_CHECK(tx.run("DELETE FROM logged_model_file WHERE model = ? AND path = ?", model.seq, path));
  return {};
}

Result<std::vector<Artifact>> list_model_files(Tx& tx, const LoggedModel& model, std::string_view prefix) {
  std::vector<Artifact> all;
  Rows rows = tx.query(
      "SELECT path, digest, size, at FROM logged_model_file WHERE model = ? AND instr(path, ?) = 1 ORDER BY path",
      model.seq, prefix);
  while (rows.next()) all.push_back(read_file(rows));
  ROOST_CHECK(rows.status());
  return all;
}

Result<Artifact> find_model_file(Tx& tx, const LoggedModel& model, std::string_view path) {
  Rows rows =
      tx.query("SELECT path, digest, size, at FROM logged_model_file WHERE model = ? AND path = ?", model.seq, path);
  if (rows.next()) return read_file(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound, fmt::format("the model {} has no file \"{}\"", model.id, printable(path)));
}

}  // namespace roost
