#include "records/environment_records.h"

namespace roost {
namespace {

#define ROOST_ENVIRONMENT_COLUMNS "name, version, definition_json, digest, created"

EnvironmentRow read_environment(const Rows& rows) {
  return {rows.text(0), rows.integer(1), stored_json(rows.bytes(2)), rows.text(3), rows.integer(4)};
}

}  // namespace

Result<std::optional<EnvironmentRow>> environment_row(Tx& tx, std::string_view workspace, std::string_view name,
                                                      std::optional<std::int64_t> version) {
  Rows rows = version ? tx.query("SELECT " ROOST_ENVIRONMENT_COLUMNS
                                 " FROM environment WHERE workspace = ? AND name = ? AND version = ?",
                                 workspace, name, *version)
                      : tx.query("SELECT " ROOST_ENVIRONMENT_COLUMNS
                                 " FROM environment WHERE workspace = ? AND name = ? ORDER BY version DESC LIMIT 1",
                                 workspace, name);
  if (rows.next()) return std::optional(read_environment(rows));
  ROOST_CHECK(rows.status());
  return std::optional<EnvironmentRow>();
}

Result<std::vector<EnvironmentRow>> environment_rows(Tx& tx, std::string_view workspace, std::string_view name) {
  std::vector<EnvironmentRow> all;
  Rows rows = name.empty()
                  ? tx.query("SELECT " ROOST_ENVIRONMENT_COLUMNS
                             " FROM environment e WHERE workspace = ? AND version = (SELECT max(version) FROM environment x"
                             " WHERE x.workspace = e.workspace AND x.name = e.name) ORDER BY name",
                             workspace)
                  : tx.query("SELECT " ROOST_ENVIRONMENT_COLUMNS
                             " FROM environment WHERE workspace = ? AND name = ? ORDER BY version DESC",
                             workspace, name);
  while (rows.next()) all.push_back(read_environment(rows));
  ROOST_CHECK(rows.status());
  return all;
}

Status insert_environment(Tx& tx, std::string_view workspace, const EnvironmentRow& row) {
  ROOST_CHECK(tx.run("INSERT INTO environment VALUES (?, ?, ?, ?, ?, ?)", workspace, row.name, row.version,
                     to_text(row.definition), row.digest, row.created));
  return {};
}

}  // namespace roost
