#include "records/dataset_records.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

#define ROOST_DATASET_COLUMNS \
  "id, workspace, name, version, kind, definition_json, description, tags_json, created"

Dataset read_dataset(const Rows& rows) {
  Dataset dataset;
  dataset.id = rows.text(0);
  dataset.workspace = rows.text(1);
  dataset.name = rows.text(2);
  dataset.version = rows.integer(3);
  dataset.kind = rows.text(4);
  dataset.definition = stored_json(rows.bytes(5));
  dataset.description = rows.text(6);
  dataset.tags = stored_json(rows.bytes(7));
  dataset.created = rows.integer(8);
  return dataset;
}

}  // namespace

Status insert_dataset(Tx& tx, const Dataset& dataset) {
  ROOST_CHECK(tx.run("INSERT INTO dataset VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", dataset.id,
                     dataset.workspace, dataset.name, dataset.version, dataset.kind,
                     to_text(dataset.definition), dataset.description, to_text(dataset.tags), dataset.created));
  return {};
}

Result<Dataset> find_dataset(Tx& tx, std::string_view workspace, std::string_view name,
                             std::optional<std::int64_t> version) {
  Rows rows = version ? tx.query("SELECT " ROOST_DATASET_COLUMNS
                                 " FROM dataset WHERE workspace = ? AND name = ? AND version = ?",
                                 workspace, name, *version)
                      : tx.query("SELECT " ROOST_DATASET_COLUMNS
                                 " FROM dataset WHERE workspace = ? AND (name = ? OR id = ?)"
                                 " ORDER BY version DESC LIMIT 1",
                                 workspace, name, name);
  if (rows.next()) return read_dataset(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no dataset \"{}\"{} in the workspace {}", printable(name),
                          version ? fmt::format(" of version {}", *version) : "", workspace));
}

Result<std::vector<Dataset>> list_datasets(Tx& tx, std::string_view workspace, std::string_view name) {
  std::vector<Dataset> all;
  Rows rows = name.empty() ? tx.query("SELECT " ROOST_DATASET_COLUMNS
                                      " FROM dataset d WHERE workspace = ? AND version = (SELECT"
                                      " max(version) FROM dataset x WHERE x.workspace = d.workspace AND"
                                      " x.name = d.name) ORDER BY name",
                                      workspace)
                           : tx.query("SELECT " ROOST_DATASET_COLUMNS
                                      " FROM dataset WHERE workspace = ? AND name = ?"
                                      " ORDER BY version DESC",
                                      workspace, name);
  while (rows.next()) all.push_back(read_dataset(rows));
  ROOST_CHECK(rows.status());
  return all;
}

Status delete_dataset(Tx& tx, const Dataset& dataset) {
  ROOST_CHECK(tx.run("DELETE FROM dataset WHERE workspace = ? AND name = ?", dataset.workspace,
                     dataset.name));
  return {};
}

}  // namespace roost
