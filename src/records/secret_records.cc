#include "records/secret_records.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::int64_t kMostSecrets = 10'000;

Secret read_secret(const Rows& rows) {
  return {rows.text(0), rows.text(1), rows.text(2), rows.integer(3), rows.integer(4), rows.text(5)};
}

}  // namespace

Json secret_json(const Secret& secret) {
  return {{"name", secret.name},
          {"created_at", format_time(secret.created)},
          {"updated_at", format_time(secret.updated)},
          {"updated_by", secret.updated_by}};
}

std::string secret_place(const std::string& workspace, const std::string& name) {
  return fmt::format("secret/{}/{}", workspace, lower(name));
}

Result<std::optional<Secret>> look_for_secret(Tx& tx, const std::string& workspace, const std::string& name) {
  Rows rows = tx.query("SELECT workspace, name, sealed, created, updated, updated_by FROM secret WHERE workspace = ? AND name = ?",
                       workspace, name);
  std::optional<Secret> found;
  if (rows.next()) found = read_secret(rows);
  ROOST_CHECK(rows.status());
  return found;
}

Result<Secret> find_secret(Tx& tx, const std::string& workspace, const std::string& name) {
  ROOST_TRY(auto found, look_for_secret(tx, workspace, name));
  if (found) return *std::move(found);
  return fail(ErrorCode::kNotFound, fmt::format("there is no secret \"{}\" in the workspace {}; 'roost secret ls' lists them, "
                                                "'roost secret set {}' makes it",
                                                printable(name), printable(workspace), printable(name)));
}

Result<std::vector<Secret>> list_secrets(Tx& tx, const std::string& workspace, const std::string& after_name,
                                         std::int64_t limit) {
  std::vector<Secret> all;
  Rows rows = tx.query("SELECT workspace, name, sealed, created, updated, updated_by FROM secret WHERE workspace = ?"
                       " AND name > ? ORDER BY name LIMIT ?",
                       workspace, after_name, limit);
  while (rows.next()) all.push_back(read_secret(rows));
  ROOST_CHECK(rows.status());
  return all;
}

Result<std::vector<Secret>> all_secrets(Tx& tx) {
  std::vector<Secret> all;
  Rows rows = tx.query("SELECT workspace, name, sealed, created, updated, updated_by FROM secret");
  while (rows.next()) all.push_back(read_secret(rows));
  ROOST_CHECK(rows.status());
  return all;
}

Status save_secret(Tx& tx, const Secret& secret) {
  {
    Rows rows = tx.query("SELECT count(*) FROM secret WHERE workspace = ? AND name <> ?", secret.workspace, secret.name);
    const bool full = rows.next() && rows.integer(0) >= kMostSecrets;
    ROOST_CHECK(rows.status());
    if (full) {
      return fail(ErrorCode::kFailedPrecondition, fmt::format("the workspace has {} secrets already; delete one", kMostSecrets));
    }
  }
  ROOST_CHECK(tx.run("INSERT INTO secret (workspace, name, sealed, created, updated, updated_by) VALUES (?, ?, ?, ?, ?, ?)"
                     " ON CONFLICT(workspace, name) DO UPDATE SET sealed = excluded.sealed, updated = excluded.updated,"
                     " updated_by = excluded.updated_by",
                     secret.workspace, secret.name, secret.sealed, secret.created, secret.updated, secret.updated_by));
  return {};
}

Status delete_secret(Tx& tx, const Secret& secret) {
  ROOST_CHECK(tx.run("DELETE FROM secret WHERE workspace = ? AND name = ?", secret.workspace, secret.name));
  return {};
}

}  // namespace roost
