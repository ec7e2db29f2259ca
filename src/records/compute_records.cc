#include "records/compute_records.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

#define ROOST_COMPUTE_COLUMNS                                                                   \
  "workspace, name, vm_size, vm_priority, min_nodes, max_nodes, idle_seconds, created, modified," \
  " deleting, max_nodes_per_user, max_runs_per_user, draining, slurm_json"
#define ROOST_NODE_COLUMNS \
  "id, workspace, compute, state, pid, pid_started, started, idle_since, slot, state_since, allocation"

Result<std::vector<Compute>> read_computes(Rows rows) {
  std::vector<Compute> all;
  while (rows.next()) {
    Compute compute;
    compute.workspace = rows.text(0);
    compute.name = rows.text(1);
    compute.vm_size = rows.text(2);
    compute.vm_priority = rows.text(3);
    compute.min_nodes = rows.integer(4);
    compute.max_nodes = rows.integer(5);
    compute.idle_seconds = rows.integer(6);
    compute.created = rows.integer(7);
    compute.modified = rows.integer(8);
    compute.deleting = rows.integer(9) != 0;
    compute.max_nodes_per_user = rows.integer(10);
    compute.max_runs_per_user = rows.integer(11);
    compute.draining = rows.integer(12) != 0;
    if (!rows.bytes(13).empty()) compute.slurm = stored_json(rows.bytes(13));
    all.push_back(std::move(compute));
  }
  ROOST_CHECK(rows.status());
  return all;
}

Result<std::vector<Node>> read_nodes(Rows rows) {
  std::vector<Node> all;
  while (rows.next()) {
    Node node;
    node.id = rows.text(0);
    node.workspace = rows.text(1);
    node.compute = rows.text(2);
    node.state = node_state_from_name(rows.bytes(3));
    node.pid = rows.integer(4);
    node.pid_started = rows.integer(5);
    node.started = rows.integer(6);
    node.idle_since = rows.maybe_integer(7);
    node.slot = rows.integer(8);
    node.state_since = rows.integer(9);
    node.allocation = rows.text(10);
    all.push_back(std::move(node));
  }
  ROOST_CHECK(rows.status());
  return all;
}

}  // namespace

Result<Compute> find_compute(Tx& tx, std::string_view workspace, std::string_view name) {
  ROOST_TRY(auto found, read_computes(tx.query("SELECT " ROOST_COMPUTE_COLUMNS
                                               " FROM compute WHERE workspace = ? AND name = ?",
                                               workspace, name)));
  if (!found.empty()) return std::move(found.front());
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no compute \"{0}\" in workspace {1}; 'roost compute ls' lists them, "
                          "'roost compute create NAME' makes one",
                          printable(name), printable(workspace)));
}

Result<std::vector<Compute>> list_computes(Tx& tx) {
  return read_computes(
      tx.query("SELECT " ROOST_COMPUTE_COLUMNS " FROM compute ORDER BY workspace, name"));
}

Result<std::vector<Compute>> list_computes(Tx& tx, std::string_view workspace) {
  return read_computes(tx.query(
      "SELECT " ROOST_COMPUTE_COLUMNS " FROM compute WHERE workspace = ? ORDER BY name", workspace));
}

Status insert_compute(Tx& tx, const Compute& compute) {
  if (find_compute(tx, compute.workspace, compute.name)) {
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("there is a compute \"{}\" already; 'roost compute update {}' changes it",
                            compute.name, compute.name));
  }
  ROOST_CHECK(tx.run("INSERT INTO compute (" ROOST_COMPUTE_COLUMNS
                     ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     compute.workspace, compute.name, compute.vm_size, compute.vm_priority,
                     compute.min_nodes, compute.max_nodes, compute.idle_seconds, compute.created,
                     compute.modified, compute.deleting, compute.max_nodes_per_user,
                     compute.max_runs_per_user, compute.draining, compute.slurm.is_object() ? to_text(compute.slurm) : ""));
  return {};
}

Status save_compute(Tx& tx, const Compute& compute) {
  ROOST_CHECK(tx.run("UPDATE compute SET min_nodes = ?, max_nodes = ?, idle_seconds = ?, modified = ?,"
                     " deleting = ?, max_nodes_per_user = ?, max_runs_per_user = ?, draining = ?"
                     " WHERE workspace = ? AND name = ?",
                     compute.min_nodes, compute.max_nodes, compute.idle_seconds, compute.modified,
                     compute.deleting, compute.max_nodes_per_user, compute.max_runs_per_user,
                     compute.draining, compute.workspace, compute.name));
  return {};
}

Status remove_compute(Tx& tx, const Compute& compute) {
  ROOST_CHECK(tx.run("DELETE FROM compute WHERE workspace = ? AND name = ?", compute.workspace,
                     compute.name));
  return {};
}

Result<std::vector<Node>> list_nodes(Tx& tx) {
  return read_nodes(tx.query("SELECT " ROOST_NODE_COLUMNS " FROM node ORDER BY id"));
}

Result<std::vector<Node>> list_nodes(Tx& tx, std::string_view workspace, std::string_view compute) {
  return read_nodes(tx.query("SELECT " ROOST_NODE_COLUMNS
                             " FROM node WHERE workspace = ? AND compute = ? ORDER BY id",
                             workspace, compute));
}

Result<Node> find_node(Tx& tx, std::string_view id) {
  ROOST_TRY(auto found,
            read_nodes(tx.query("SELECT " ROOST_NODE_COLUMNS " FROM node WHERE id = ?", id)));
  if (!found.empty()) return std::move(found.front());
  return fail(ErrorCode::kNotFound, fmt::format("there is no node \"{}\"", printable(id)));
}

Result<std::optional<std::string>> node_for_token(Tx& tx, std::string_view token_hash) {
  Rows rows = tx.query("SELECT id FROM node WHERE token_hash = ?", token_hash);
  if (rows.next()) return std::optional(rows.text(0));
  ROOST_CHECK(rows.status());
  return std::optional<std::string>();
}

Status insert_node(Tx& tx, const Node& node, std::string_view token_hash) {
  ROOST_CHECK(tx.run("INSERT INTO node (" ROOST_NODE_COLUMNS
                     ", token_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     node.id, node.workspace, node.compute, node_state_name(node.state), node.pid,
                     node.pid_started, node.started, node.idle_since, node.slot, node.state_since, node.allocation, token_hash));
  return {};
}

Status save_node(Tx& tx, const Node& node) {
  ROOST_CHECK(tx.run(
      "UPDATE node SET state = ?, pid = ?, pid_started = ?, idle_since = ?, state_since = ? WHERE id = ?",
      node_state_name(node.state), node.pid, node.pid_started, node.idle_since, node.state_since, node.id));
  return {};
}

Status remove_node(Tx& tx, std::string_view id) {
  ROOST_CHECK(tx.run("DELETE FROM node WHERE id = ?", id));
  return {};
}

Result<std::vector<NodeCount>> count_nodes_by_state(Tx& tx) {
  std::vector<NodeCount> counts;
  Rows rows = tx.query("SELECT compute, state, count(*) FROM node GROUP BY compute, state");
  while (rows.next()) counts.push_back({rows.text(0), rows.text(1), rows.integer(2)});
  ROOST_CHECK(rows.status());
  return counts;
}

}  // namespace roost
