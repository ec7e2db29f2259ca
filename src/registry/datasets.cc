#include "registry/datasets.h"

#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"
#include "domain/run_spec.h"
#include "records/workspace_records.h"

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

Json dataset_json(const Dataset& dataset) {
  return {{"name", dataset.name},
          {"version", dataset.version},
          {"id", dataset.id},
          {"kind", dataset.kind},
          {"definition", dataset.definition},
          {"description", dataset.description},
          {"tags", dataset.tags},
          {"created_at", format_time(dataset.created)}};
}

Result<NewDataset> parse_new_dataset(const Json& body) {
  JsonFields fields(body, "the dataset");
  NewDataset made;
  Dataset& dataset = made.dataset;
  dataset.name = fields.required_string("name");
  dataset.kind = fields.string("kind", dataset.kind);
  dataset.definition = fields.object_as_given("definition");
  dataset.description = fields.string("description");
  dataset.tags = fields.string_map("tags", true);
  made.create_new_version = fields.boolean("create_new_version", false);
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_dataset_name(dataset.name));
  ROOST_CHECK(check_labels(dataset.tags, "tags"));
  if (dataset.kind != "file" && dataset.kind != "tabular") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"kind\" is \"{}\"; it must be file or tabular", printable(dataset.kind)));
  }
  if (to_text(dataset.definition).size() > (4 << 20) || dataset.description.size() > 10'000) {
    return fail(ErrorCode::kTooLarge, "the definition of a dataset is at most 4 MiB, its description "
                                      "10,000 bytes");
  }
  return made;
}

Status register_dataset(Tx& tx, NewDataset& made, Micros now) {
  Dataset& dataset = made.dataset;
  if (auto newest = find_dataset(tx, dataset.workspace, dataset.name, std::nullopt)) {
    if (newest->definition == dataset.definition && newest->kind == dataset.kind) {
      dataset = std::move(*newest);
      return {};
    }
    if (!made.create_new_version) {
      return fail(ErrorCode::kAlreadyExists,
                  fmt::format("there is a dataset \"{}\" already; register with create_new_version=True "
                              "to make version {}",
                              dataset.name, newest->version + 1));
    }
    dataset.version = newest->version + 1;
  } else if (newest.error().code != ErrorCode::kNotFound) {
    return fail(newest.error());
  }
  dataset.created = now;
  dataset.id = new_guid();
  ROOST_CHECK(tx.run("INSERT INTO dataset VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", dataset.id,
                     dataset.workspace, dataset.name, dataset.version, dataset.kind,
                     to_text(dataset.definition), dataset.description, to_text(dataset.tags), now));
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
