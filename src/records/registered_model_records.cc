#include "records/registered_model_records.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

RegisteredModel read_model(const Rows& rows) {
  return {rows.text(0), rows.text(1), rows.integer(2), rows.integer(3), rows.text(4), stored_json(rows.bytes(5))};
}

#define ROOST_REGISTERED_COLUMNS "workspace, name, created, updated, description, tags_json"

}  // namespace

Result<RegisteredModel> find_registered_model(Tx& tx, std::string_view workspace, std::string_view name) {
  Rows rows = tx.query("SELECT " ROOST_REGISTERED_COLUMNS " FROM registered_model WHERE workspace = ? AND name = ?",
                       workspace, name);
  if (rows.next()) return read_model(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound, fmt::format("Registered Model with name={} not found", printable(name)));
}

Result<std::vector<RegisteredModel>> list_registered_models(Tx& tx, std::string_view workspace) {
  std::vector<RegisteredModel> all;
  Rows rows = tx.query("SELECT " ROOST_REGISTERED_COLUMNS " FROM registered_model WHERE workspace = ? ORDER BY name",
                       workspace);
  while (rows.next()) all.push_back(read_model(rows));
  ROOST_CHECK(rows.status());
  return all;
}

Status insert_registered_model(Tx& tx, const RegisteredModel& model) {
  ROOST_TRY(const std::int64_t made,
            tx.run("INSERT OR IGNORE INTO registered_model VALUES (?, ?, ?, ?, ?, ?)", model.workspace, model.name,
                   model.created, model.updated, model.description, to_text(model.tags)));
  if (made == 1) return {};
  return fail(ErrorCode::kAlreadyExists,
              fmt::format("Registered Model (name={}) already exists.", printable(model.name)));
}

Status save_registered_model(Tx& tx, const RegisteredModel& model) {
  ROOST_CHECK(
      tx.run("UPDATE registered_model SET updated = ?, description = ?, tags_json = ? WHERE workspace = ? AND name = ?",
             model.updated, model.description, to_text(model.tags), model.workspace, model.name));
  return {};
}

Status rename_registered_model(Tx& tx, const RegisteredModel& model, const std::string& name, Micros now) {
  {
    Rows rows = tx.query(
        "SELECT m.version FROM endpoint_model e JOIN model m ON m.seq = e.model WHERE m.workspace = ? AND m.name = ?",
        model.workspace, model.name);
    if (rows.next()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{}:{} serves an endpoint, which knows it by this name; delete that first",
                              printable(model.name), rows.integer(0)));
    }
    ROOST_CHECK(rows.status());
  }
  RegisteredModel renamed = model;
  renamed.name = name;
  renamed.updated = now;
  ROOST_CHECK(insert_registered_model(tx, renamed));
  ROOST_CHECK(tx.run("UPDATE model SET name = ? WHERE workspace = ? AND name = ?", name, model.workspace, model.name));
  ROOST_CHECK(tx.run(
      "UPDATE model_source SET updated = ? WHERE model IN (SELECT seq FROM model WHERE workspace = ? AND name = ?)",
      now, model.workspace, name));
  // Neither name gives a number again that either of them has given.
  ROOST_CHECK(
      tx.run("INSERT INTO model_name SELECT workspace, ?, last_version FROM model_name WHERE workspace = ? AND name = ?"
             " ON CONFLICT DO UPDATE SET last_version = max(last_version, excluded.last_version)",
             name, model.workspace, model.name));
  ROOST_CHECK(
      tx.run("UPDATE model_alias SET name = ? WHERE workspace = ? AND name = ?", name, model.workspace, model.name));
  ROOST_CHECK(tx.run("DELETE FROM registered_model WHERE workspace = ? AND name = ?", model.workspace, model.name));
  return {};
}

Status delete_registered_model(Tx& tx, const RegisteredModel& model) {
  ROOST_CHECK(tx.run("DELETE FROM model_alias WHERE workspace = ? AND name = ?", model.workspace, model.name));
  ROOST_CHECK(tx.run("DELETE FROM registered_model WHERE workspace = ? AND name = ?", model.workspace, model.name));
  return {};
}

Result<std::vector<ModelAlias>> list_aliases(Tx& tx, std::string_view workspace, std::string_view name) {
  std::vector<ModelAlias> all;
  Rows rows = tx.query("SELECT alias, version FROM model_alias WHERE workspace = ? AND name = ? ORDER BY alias",
                       workspace, name);
  while (rows.next()) all.push_back({rows.text(0), rows.integer(1)});
  ROOST_CHECK(rows.status());
  return all;
}

Status put_alias(Tx& tx, const RegisteredModel& model, const ModelAlias& alias) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO model_alias VALUES (?, ?, ?, ?)", model.workspace, model.name, alias.alias,
                     alias.version));
  return {};
}

Status remove_alias(Tx& tx, const RegisteredModel& model, std::string_view alias) {
  ROOST_CHECK(tx.run("DELETE FROM model_alias WHERE workspace = ? AND name = ? AND alias = ?", model.workspace,
                     model.name, alias));
  return {};
}

Result<ModelSource> model_source(Tx& tx, std::int64_t model) {
  Rows rows = tx.query(
      "SELECT updated, stage, source, run, run_link, logged_model, folder FROM model_source WHERE model = ?", model);
  ModelSource found;
  if (rows.next()) {
    found = {rows.integer(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5), rows.text(6)};
  }
  ROOST_CHECK(rows.status());
  return found;
}

Status put_model_source(Tx& tx, std::int64_t model, const ModelSource& source) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO model_source VALUES (?, ?, ?, ?, ?, ?, ?, ?)", model, source.updated,
                     source.stage, source.source, source.run, source.run_link, source.logged_model, source.folder));
  return {};
}

}  // namespace roost
