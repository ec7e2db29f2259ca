#include "records/workspace_records.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "records/bin_records.h"

namespace roost {
namespace {

#define ROOST_EXPERIMENT_COLUMNS \
  "id, workspace, name, guid, created, archived, tags_json, run_count - runs_gone, last_run, deleted, updated, artifact_location"

Experiment read_experiment(const Rows& rows) {
  Experiment experiment;
  experiment.row = rows.integer(0);
  experiment.workspace = rows.text(1);
  experiment.name = rows.text(2);
  experiment.id = rows.text(3);
  experiment.created = rows.integer(4);
  experiment.archived = rows.integer(5) != 0;
  experiment.tags = stored_json(rows.bytes(6));
  experiment.run_count = rows.integer(7);
  experiment.last_run = rows.maybe_integer(8);
  experiment.deleted = rows.maybe_integer(9);
  experiment.updated = std::max(rows.integer(10), experiment.created);
  experiment.artifact_location = rows.text(11);
  return experiment;
}

}  // namespace

std::string new_guid() {
  const std::string hex = random_hex(16);
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20));
}

Json workspace_json(const Workspace& workspace) {
  return {{"name", workspace.name},
          {"id", workspace.id},
          {"created_at", format_time(workspace.created)}};
}

Json experiment_json(const Experiment& experiment) {
  return {{"name", experiment.name},
          {"workspace", experiment.workspace},
          {"id", experiment.id},
          {"created_at", format_time(experiment.created)},
          {"archived", experiment.archived},
          {"tags", experiment.tags},
          {"run_count", experiment.run_count},
          {"last_run_at", experiment.last_run ? Json(format_time(*experiment.last_run)) : Json()},
          {"deleted_at", experiment.deleted ? Json(format_time(*experiment.deleted)) : Json()}};
}

Result<Workspace> find_workspace(Tx& tx, std::string_view name) {
  Rows rows = tx.query("SELECT name, id, created FROM workspace WHERE name = ?", name);
  if (rows.next()) return Workspace{rows.text(0), rows.text(1), rows.integer(2)};
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no workspace \"{}\"; `roost workspace create` makes one, and `roost workspace ls` "
                          "lists those there are",
                          printable(name)));
}

Result<std::vector<Workspace>> list_workspaces(Tx& tx) {
  std::vector<Workspace> all;
  Rows rows = tx.query("SELECT name, id, created FROM workspace ORDER BY name");
  while (rows.next()) all.push_back({rows.text(0), rows.text(1), rows.integer(2)});
  ROOST_CHECK(rows.status());
  return all;
}

Result<Workspace> insert_workspace(Tx& tx, const std::string& name, Micros now) {
  if (find_workspace(tx, name)) {
    return fail(ErrorCode::kAlreadyExists, fmt::format("there is a workspace \"{}\" already", name));
  }
  Workspace workspace{name, new_guid(), now};
  ROOST_CHECK(tx.run("INSERT INTO workspace VALUES (?, ?, ?)", name, workspace.id, now));
  return workspace;
}

Result<Experiment> find_experiment(Tx& tx, std::string_view workspace, std::string_view name) {
  Rows rows = tx.query("SELECT " ROOST_EXPERIMENT_COLUMNS
                       " FROM experiment WHERE workspace = ? AND name = ?",
                       workspace, name);
  if (rows.next()) return read_experiment(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no experiment \"{}\" in workspace {}", printable(name),
                          printable(workspace)));
}

Result<Experiment> experiment_by_row(Tx& tx, std::string_view workspace, std::int64_t row) {
  Rows rows = tx.query("SELECT " ROOST_EXPERIMENT_COLUMNS " FROM experiment WHERE id = ? AND workspace = ?", row, workspace);
  if (rows.next()) return read_experiment(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound, fmt::format("there is no experiment {} in workspace {}", row, printable(workspace)));
}

Result<Experiment> open_experiment(Tx& tx, const std::string& workspace, const std::string& name,
                                   Micros now) {
  auto found = find_experiment(tx, workspace, name);
  if (found) ROOST_CHECK(check_not_in_bin(*found));
  if (found || found.error().code != ErrorCode::kNotFound) return found;
  return insert_experiment(tx, workspace, name, now);
}

Result<Experiment> insert_experiment(Tx& tx, const std::string& workspace, const std::string& name,
                                     Micros now) {
  if (const auto found = find_experiment(tx, workspace, name)) {
    ROOST_CHECK(check_not_in_bin(*found));
    return fail(ErrorCode::kAlreadyExists, fmt::format("there is an experiment \"{}\" already", name));
  }
  ROOST_CHECK(tx.run("INSERT INTO experiment (workspace, name, guid, created) VALUES (?, ?, ?, ?)",
                     workspace, name, new_guid(), now));
  return find_experiment(tx, workspace, name);
}

Status save_experiment(Tx& tx, const Experiment& experiment) {
  const auto holder = find_experiment(tx, experiment.workspace, experiment.name);
  if (holder && holder->row != experiment.row) {
    return fail(ErrorCode::kAlreadyExists, fmt::format("there is an experiment \"{}\" already", printable(experiment.name)));
  }
  ROOST_CHECK(tx.run("UPDATE experiment SET name = ?, archived = ?, tags_json = ?, updated = ?, artifact_location = ?"
                     " WHERE id = ?",
                     experiment.name, experiment.archived, to_text(experiment.tags), experiment.updated,
                     experiment.artifact_location, experiment.row));
  return {};
}

Result<std::vector<Experiment>> list_experiments(Tx& tx, std::string_view workspace,
                                                 std::string_view after_name, std::int64_t limit, InBin bin) {
  std::vector<Experiment> all;
  Rows rows = tx.query("SELECT " ROOST_EXPERIMENT_COLUMNS
                       " FROM experiment WHERE workspace = ?1 AND name > ?2 AND (?3 OR (deleted IS NOT NULL) = ?4)"
                       " ORDER BY name LIMIT ?5",
                       workspace, after_name, bin == InBin::kToo, bin == InBin::kOnly, limit);
  while (rows.next()) all.push_back(read_experiment(rows));
  ROOST_CHECK(rows.status());
  return all;
}

}  // namespace roost
