#include "registry/models.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "domain/names.h"
#include "domain/run_spec.h"
#include "records/endpoint_records.h"
#include "records/run_records.h"

namespace roost {
namespace {

#define ROOST_MODEL_COLUMNS                                                                      \
  "m.seq, m.workspace, m.name, m.version, m.created, m.created_by, m.description, m.tags_json, " \
  "m.properties_json, m.framework, m.framework_version, m.run, m.facts_json, m.content, "        \
  "m.files, m.size"

std::optional<std::string> maybe_text(const Rows& rows, int column) {
  if (rows.is_null(column)) return std::nullopt;
  return rows.text(column);
}

Model read_model(const Rows& rows) {
  Model model;
  model.seq = rows.integer(0);
  model.workspace = rows.text(1);
  model.name = rows.text(2);
  model.version = rows.integer(3);
  model.created = rows.integer(4);
  model.created_by = rows.text(5);
  model.description = rows.text(6);
  model.tags = stored_json(rows.bytes(7));
  model.properties = stored_json(rows.bytes(8));
  model.framework = maybe_text(rows, 9);
  model.framework_version = maybe_text(rows, 10);
  model.run = rows.maybe_integer(11);
  model.facts = stored_json(rows.bytes(12));
  model.content = rows.text(13);
  model.files = rows.integer(14);
  model.size = rows.integer(15);
  return model;
}

std::optional<std::string> optional_text(JsonFields& fields, const char* name) {
  if (!fields.has(name)) return std::nullopt;
  return fields.string(name);
}

bool has_tag(const Json& tags, const std::string& wanted) {
  const auto equals = wanted.find('=');
  const auto it = tags.find(wanted.substr(0, equals));
  if (it == tags.end()) return false;
  return equals == std::string::npos || (it->is_string() && *it == wanted.substr(equals + 1));
}

// "./outputs/net/" and "outputs/net" are the same place.
std::string plain_path(std::string path) {
  while (path.starts_with("./")) path.erase(0, 2);
  while (path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

Result<NewModel> parse_new_model(const Json& body) {
  JsonFields fields(body, "the model");
  NewModel made;
  Model& model = made.model;
  model.name = fields.required_string("name");
  model.content = fields.string("content");
  made.run = fields.string("run");
  made.path = plain_path(fields.string("path"));
  model.description = fields.string("description");
  model.tags = fields.string_map("tags", true);
  model.properties = fields.string_map("properties");
  model.framework = optional_text(fields, "framework");
  model.framework_version = optional_text(fields, "framework_version");
  model.facts = {{"datasets", fields.array("datasets")},
                 {"sample_input", fields.has("sample_input") ? Json(fields.string("sample_input")) : Json()},
                 {"sample_output",
                  fields.has("sample_output") ? Json(fields.string("sample_output")) : Json()},
                 {"resources", fields.has("resources") ? fields.object_as_given("resources") : Json()}};
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_registry_name(model.name, "model"));
  ROOST_CHECK(check_labels(model.tags, "tags"));
  ROOST_CHECK(check_labels(model.properties, "properties"));
  if (model.description.size() > 10'000) {
    return fail(ErrorCode::kInvalidArgument, "the description is longer than 10,000 bytes");
  }
  if (to_text(model.facts).size() > 100'000) {
    return fail(ErrorCode::kInvalidArgument, "datasets, samples and resources are over 100,000 bytes");
  }
  if (model.content.empty() == made.path.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "a model needs either \"content\", the digest of an uploaded manifest, or \"run\" and "
                "\"path\" of a run's output");
  }
  if (!made.path.empty() && made.run.empty()) {
    return fail(ErrorCode::kInvalidArgument, "\"path\" names an output of a run; give \"run\" as well");
  }
  if (!model.content.empty() && !is_digest(model.content)) {
    return fail(ErrorCode::kInvalidArgument, "\"content\" must be 64 lower-case hex digits");
  }
  if (!made.path.empty()) ROOST_CHECK(check_artifact_path(made.path));
  return made;
}

Result<Manifest> outputs_manifest(Tx& tx, const Run& run, const std::string& path) {
  const auto slash = path.rfind('/');
  const std::size_t parent = slash == std::string::npos ? 0 : slash + 1;
  Manifest manifest;
  // An ONNX model names the file of its large weights, which the exporter puts beside it.
  const std::string weights = path.ends_with(".onnx") ? path + ".data" : path;
  Rows rows = tx.query(
      "SELECT path, digest, size FROM artifact WHERE run = ? AND (path = ? OR path = ? OR"
      " (path > ? AND path < ?)) ORDER BY path",
      run.seq, path, weights, path + "/", path + "0");  // '0' follows '/'
  while (rows.next()) {
    ManifestEntry entry;
    entry.path = rows.text(0).substr(parent);
    entry.digest = rows.text(1);
    entry.size = static_cast<std::uint64_t>(rows.integer(2));
    manifest.size += entry.size;
    manifest.entries.push_back(std::move(entry));
  }
  ROOST_CHECK(rows.status());
  if (manifest.entries.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("run {} has no file or folder \"{}\"; 'roost artifacts ls {}' lists what it "
                            "kept (outputs are there once the run has ended)",
                            run.id, printable(path), run.id));
  }
  return manifest;
}

Status insert_model(Tx& tx, Model& model) {
  {
    Rows rows = tx.query("SELECT last_version FROM model_name WHERE workspace = ? AND name = ?",
                         model.workspace, model.name);
    model.version = rows.next() ? rows.integer(0) + 1 : 1;
    ROOST_CHECK(rows.status());
  }
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO model_name VALUES (?, ?, ?)", model.workspace, model.name,
                     model.version));
  ROOST_CHECK(tx.run("INSERT INTO model VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     model.workspace, model.name, model.version, model.created, model.created_by,
                     model.description, to_text(model.tags), to_text(model.properties), model.framework,
                     model.framework_version, model.run, to_text(model.facts), model.content,
                     model.files, model.size));
  model.seq = tx.last_insert_id();
  ROOST_CHECK(tx.run("INSERT INTO registered_model (workspace, name, created, updated) VALUES (?, ?, ?, ?)"
                     " ON CONFLICT DO UPDATE SET updated = excluded.updated",
                     model.workspace, model.name, model.created, model.created));
  return {};
}

Result<Model> find_model(Tx& tx, std::string_view workspace, std::string_view name,
                         std::optional<std::int64_t> version) {
  Rows rows = version
                  ? tx.query("SELECT " ROOST_MODEL_COLUMNS
                             " FROM model m WHERE workspace = ? AND name = ? AND version = ?",
                             workspace, name, *version)
                  : tx.query("SELECT " ROOST_MODEL_COLUMNS
                             " FROM model m WHERE workspace = ? AND name = ? ORDER BY version DESC LIMIT 1",
                             workspace, name);
  if (rows.next()) return read_model(rows);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no model \"{}\"{} in the workspace {}; 'roost model ls' lists them",
                          printable(name), version ? fmt::format(" of version {}", *version) : "",
                          workspace));
}

Status save_model(Tx& tx, const Model& model) {
  ROOST_CHECK(tx.run("UPDATE model SET description = ?, tags_json = ?, properties_json = ? WHERE seq = ?",
                     model.description, to_text(model.tags), to_text(model.properties), model.seq));
  return {};
}

Status delete_model(Tx& tx, const Model& model) {
  ROOST_TRY(const Json serves, served_by_model(tx, model.seq));
  if (!serves.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}:{} serves the endpoint {}; delete that first, or give it another model", model.name, model.version,
                            text_at(serves[0], "endpoint")));
  }
  ROOST_CHECK(tx.run("DELETE FROM model_alias WHERE workspace = ? AND name = ? AND version = ?", model.workspace, model.name,
                     model.version));
  ROOST_CHECK(tx.run("DELETE FROM model WHERE seq = ?", model.seq));
  return {};
}

Result<ModelPage> list_models(Tx& tx, const ModelFilter& filter) {
  std::string sql = "SELECT " ROOST_MODEL_COLUMNS " FROM model m WHERE m.workspace = ?";
  std::vector<DbValue> values = {db_value(filter.workspace)};
  const auto where = [&](std::string_view condition, const DbValue& value) {
    sql += condition;
    values.push_back(value);
  };
  if (!filter.name.empty()) where(" AND m.name = ?", db_value(filter.name));
  if (!filter.framework.empty()) where(" AND m.framework = ?", db_value(filter.framework));
  if (!filter.run.empty()) {
    where(" AND m.run = (SELECT seq FROM run WHERE id = ?)", db_value(filter.run));
  }
  if (filter.latest) {
    sql += " AND m.version = (SELECT max(version) FROM model x WHERE x.workspace = m.workspace"
           " AND x.name = m.name)";
  }
  if (filter.before_seq) where(" AND m.seq < ?", db_value(*filter.before_seq));
  sql += " ORDER BY m.seq DESC";
  ModelPage page;
  Rows rows = tx.query_values(sql, values);
  while (rows.next()) {
    Model model = read_model(rows);
    const bool wanted = std::all_of(filter.tags.begin(), filter.tags.end(), [&](const std::string& tag) {
      return has_tag(model.tags, tag);
    });
    if (!wanted) continue;
    if (page.models.size() == static_cast<std::size_t>(filter.limit)) {
      page.next = page.models.back().seq;
      break;
    }
    page.models.push_back(std::move(model));
  }
  ROOST_CHECK(rows.status());
  return page;
}

Result<Json> model_json(Tx& tx, const Model& model) {
  Json out = {{"name", model.name},
              {"version", model.version},
              {"id", fmt::format("{}:{}", model.name, model.version)},
              {"workspace", model.workspace},
              {"created_at", format_time(model.created)},
              {"created_by", model.created_by},
              {"description", model.description},
              {"tags", model.tags},
              {"properties", model.properties},
              {"framework", model.framework ? Json(*model.framework) : Json()},
              {"framework_version", model.framework_version ? Json(*model.framework_version) : Json()},
              {"content", model.content},
              {"files", model.files},
              {"size", model.size}};
  out.update(model.facts);
  ROOST_TRY(out["serves"], served_by_model(tx, model.seq));
  for (const char* key : {"run", "experiment", "snapshot", "environment"}) out[key] = nullptr;
  if (!model.run) {
    // The run it came from may have been deleted for good.
    Rows rows = tx.query("SELECT origin_json FROM model_origin WHERE model = ?", model.seq);
    if (rows.next()) out.update(stored_json(rows.bytes(0)));
    ROOST_CHECK(rows.status());
  }
  if (model.run) {
    ROOST_TRY(const Run run, run_by_row(tx, *model.run));
    out["run"] = run.id;
    out["experiment"] = run.experiment;
    if (run.snapshot) out["snapshot"] = *run.snapshot;
    out["environment"] = run.environment;
  }
  return out;
}

}  // namespace roost
