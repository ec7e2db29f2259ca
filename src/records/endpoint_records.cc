#include "records/endpoint_records.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

#define ROOST_ENDPOINT_COLUMNS \
  "seq, workspace, slug, spec_json, revision, primary_key, secondary_key, progress_json, created, updated, created_by"

Result<EndpointRow> read_endpoint(const Rows& rows) {
  EndpointRow endpoint;
  endpoint.seq = rows.integer(0);
  endpoint.workspace = rows.text(1);
  endpoint.slug = rows.text(2);
  ROOST_TRY(endpoint.spec, stored_endpoint(stored_json(rows.bytes(3))));
  endpoint.revision = rows.integer(4);
  endpoint.primary_key = rows.text(5);
  endpoint.secondary_key = rows.text(6);
  endpoint.progress = stored_json(rows.bytes(7));
  endpoint.created = rows.integer(8);
  endpoint.updated = rows.integer(9);
  endpoint.created_by = rows.text(10);
  return endpoint;
}

#define ROOST_REPLICA_QUERY                                                                                                  \
  "SELECT p.run, r.id, p.endpoint, p.deployment, p.revision, p.state, p.address, p.port, p.key, p.message, p.created, p.ready," \
  " p.retired, p.is_open, r.status, r.error_json, r.node, r.started, p.version FROM replica p JOIN run r ON r.seq = p.run "

ReplicaRow read_replica(const Rows& rows) {
  ReplicaRow replica;
  replica.run = rows.integer(0);
  replica.run_id = rows.text(1);
  replica.endpoint = rows.maybe_integer(2);
  replica.deployment = rows.text(3);
  replica.revision = rows.integer(4);
  replica.state = rows.text(5);
  replica.address = rows.text(6);
  replica.port = rows.integer(7);
  replica.key = rows.text(8);
  replica.message = rows.text(9);
  replica.created = rows.integer(10);
  replica.ready = rows.maybe_integer(11);
  replica.retired = rows.maybe_integer(12);
  replica.is_open = rows.integer(13) != 0;
  replica.status = status_from_name(rows.text(14)).value_or(RunStatus::kNotStarted);
  if (!rows.is_null(15)) replica.failure = text_at(stored_json(rows.bytes(15)), "message");
  if (!rows.is_null(16)) replica.node = rows.text(16);
  replica.started = rows.maybe_integer(17);
  replica.version = rows.text(18);
  return replica;
}

Result<std::vector<ReplicaRow>> read_replicas(Rows rows) {
  std::vector<ReplicaRow> replicas;
  while (rows.next()) replicas.push_back(read_replica(rows));
  ROOST_CHECK(rows.status());
  return replicas;
}

}  // namespace

Status insert_endpoint(Tx& tx, EndpointRow& endpoint) {
  endpoint.slug = endpoint.spec.name;
  {
    Rows taken = tx.query("SELECT 1 FROM endpoint WHERE slug = ?", endpoint.slug);
    if (taken.next()) endpoint.slug = fmt::format("{}.{}", endpoint.spec.name, lower(endpoint.workspace));
    ROOST_CHECK(taken.status());
  }
  ROOST_CHECK(tx.run("INSERT INTO endpoint (workspace, name, slug, spec_json, revision, primary_key, secondary_key, created,"
                     " updated, created_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     endpoint.workspace, endpoint.spec.name, endpoint.slug, to_text(endpoint_spec_json(endpoint.spec)),
                     endpoint.revision, endpoint.primary_key, endpoint.secondary_key, endpoint.created, endpoint.updated,
                     endpoint.created_by));
  Rows rows = tx.query("SELECT last_insert_rowid()");
  if (rows.next()) endpoint.seq = rows.integer(0);
  return rows.status();
}

Status save_endpoint(Tx& tx, const EndpointRow& endpoint) {
  ROOST_CHECK(tx.run("UPDATE endpoint SET spec_json = ?, revision = ?, primary_key = ?, secondary_key = ?, updated = ? WHERE seq = ?",
                     to_text(endpoint_spec_json(endpoint.spec)), endpoint.revision, endpoint.primary_key,
                     endpoint.secondary_key, endpoint.updated, endpoint.seq));
  return {};
}

Status save_progress(Tx& tx, std::int64_t endpoint, const Json& progress) {
  ROOST_CHECK(tx.run("UPDATE endpoint SET progress_json = ? WHERE seq = ?", to_text(progress), endpoint));
  return {};
}

Status delete_endpoint(Tx& tx, std::int64_t endpoint) {
  ROOST_CHECK(tx.run("DELETE FROM endpoint WHERE seq = ?", endpoint));
  return {};
}

Result<EndpointRow> find_endpoint(Tx& tx, std::string_view workspace, std::string_view name) {
  Rows rows = tx.query("SELECT " ROOST_ENDPOINT_COLUMNS " FROM endpoint WHERE workspace = ? AND name = ?", workspace, name);
  if (rows.next()) return read_endpoint(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound, fmt::format("there is no endpoint \"{}\" in the workspace {}; 'roost endpoints ls' lists them",
                                                printable(name), workspace));
}

Result<std::vector<EndpointRow>> list_endpoints(Tx& tx, std::string_view workspace) {
  Rows rows = tx.query("SELECT " ROOST_ENDPOINT_COLUMNS " FROM endpoint WHERE workspace = ? OR ? = '' ORDER BY workspace, name",
                       workspace, workspace);
  std::vector<EndpointRow> endpoints;
  while (rows.next()) {
    ROOST_TRY(EndpointRow one, read_endpoint(rows));
    endpoints.push_back(std::move(one));
  }
  ROOST_CHECK(rows.status());
  return endpoints;
}

Status insert_revision(Tx& tx, const EndpointRow& endpoint, const std::string& why, const std::string& who, Micros now) {
  ROOST_CHECK(tx.run("INSERT INTO endpoint_revision (endpoint, revision, spec_json, why, created, created_by) VALUES (?, ?, ?, ?, ?, ?)",
                     endpoint.seq, endpoint.revision, to_text(endpoint_spec_json(endpoint.spec)), why, now, who));
  return {};
}

Result<std::vector<EndpointRevision>> list_revisions(Tx& tx, std::int64_t endpoint) {
  Rows rows = tx.query("SELECT revision, spec_json, why, created, created_by FROM endpoint_revision WHERE endpoint = ?"
                       " ORDER BY revision DESC LIMIT 100",
                       endpoint);
  std::vector<EndpointRevision> revisions;
  while (rows.next()) {
    revisions.push_back({rows.integer(0), stored_json(rows.bytes(1)), rows.text(2), rows.integer(3), rows.text(4)});
  }
  ROOST_CHECK(rows.status());
  return revisions;
}

Status set_endpoint_models(Tx& tx, std::int64_t endpoint, const std::vector<EndpointModel>& models) {
  ROOST_CHECK(tx.run("DELETE FROM endpoint_model WHERE endpoint = ?", endpoint));
  for (const auto& model : models) {
    ROOST_CHECK(tx.run("INSERT OR IGNORE INTO endpoint_model (endpoint, deployment, model) VALUES (?, ?, ?)", endpoint,
                       model.deployment, model.model));
  }
  return {};
}

Result<Json> served_by_model(Tx& tx, std::int64_t model) {
  Rows rows = tx.query("SELECT e.workspace, e.name, m.deployment FROM endpoint_model m JOIN endpoint e ON e.seq = m.endpoint"
                       " WHERE m.model = ? ORDER BY e.workspace, e.name, m.deployment",
                       model);
  Json serves = Json::array();
  while (rows.next()) serves.push_back({{"workspace", rows.text(0)}, {"endpoint", rows.text(1)}, {"deployment", rows.text(2)}});
  ROOST_CHECK(rows.status());
  return serves;
}

Status insert_endpoint_token(Tx& tx, std::int64_t endpoint, const EndpointToken& token) {
  ROOST_CHECK(tx.run("INSERT INTO endpoint_token (hash, endpoint, expires) VALUES (?, ?, ?)", token.hash, endpoint, token.expires));
  return {};
}

Status drop_expired_tokens(Tx& tx, Micros now) {
  ROOST_CHECK(tx.run("DELETE FROM endpoint_token WHERE expires < ?", now));
  return {};
}

Result<std::vector<EndpointToken>> endpoint_tokens(Tx& tx, std::int64_t endpoint, Micros now) {
  Rows rows = tx.query("SELECT hash, expires FROM endpoint_token WHERE endpoint = ? AND expires > ?", endpoint, now);
  std::vector<EndpointToken> tokens;
  while (rows.next()) tokens.push_back({rows.text(0), rows.integer(1)});
  ROOST_CHECK(rows.status());
  return tokens;
}

Status insert_replica(Tx& tx, const ReplicaRow& replica) {
  ROOST_CHECK(tx.run("INSERT INTO replica (run, endpoint, deployment, revision, version, state, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
                     replica.run, replica.endpoint, replica.deployment, replica.revision, replica.version, replica.state,
                     replica.created));
  return {};
}

Status save_replica(Tx& tx, const ReplicaRow& replica) {
  ROOST_CHECK(tx.run("UPDATE replica SET state = ?, address = ?, port = ?, key = ?, message = ?, ready = ?, retired = ?, is_open = ?"
                     " WHERE run = ?",
                     replica.state, replica.address, replica.port, replica.key, replica.message, replica.ready, replica.retired,
                     replica.is_open, replica.run));
  return {};
}

Result<ReplicaRow> find_replica(Tx& tx, std::int64_t run) {
  Rows rows = tx.query(ROOST_REPLICA_QUERY "WHERE p.run = ?", run);
  if (rows.next()) return read_replica(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound, "this run is no replica of an endpoint");
}

Result<std::vector<ReplicaRow>> open_replicas(Tx& tx) {
  return read_replicas(tx.query(ROOST_REPLICA_QUERY "WHERE p.is_open = 1 ORDER BY p.run"));
}

Result<std::vector<ReplicaRow>> replicas_of(Tx& tx, std::int64_t endpoint, std::int64_t limit) {
  return read_replicas(tx.query(ROOST_REPLICA_QUERY "WHERE p.endpoint = ? ORDER BY p.run DESC LIMIT ?", endpoint, limit));
}

}  // namespace roost
