#include "registry/datastores.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "domain/names.h"

namespace roost {
namespace {

constexpr std::string_view kFileStore = "workspacefilestore";
constexpr std::size_t kMostFiles = 100'000;

bool is_built_in(std::string_view name) { return name == kDefaultDatastore || name == kFileStore; }

Datastore built_in(std::string_view workspace, std::string_view name) {
  Datastore store;
  store.workspace = workspace;
  store.name = name;
  store.type = name == kFileStore ? "AzureFile" : "AzureBlob";
  return store;
}

Datastore read_datastore(const Rows& rows, std::string_view workspace) {
  Datastore store;
  store.workspace = workspace;
  store.name = rows.text(0);
  store.type = rows.text(1);
  store.properties = stored_json(rows.bytes(2));
  store.created = rows.integer(3);
  return store;
}

// What lies below "data/" are the paths from "data/" up to, not including, "data0".
std::string last_below(std::string_view prefix) { return std::string(prefix) + "0"; }

std::string_view without_slash(std::string_view prefix) {
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  return prefix;
}

}  // namespace

Json datastore_json(const Datastore& datastore) {
  return {{"name", datastore.name},
          {"type", datastore.type},
          {"properties", datastore.properties},
          {"is_default", datastore.name == kDefaultDatastore},
          {"created_at", datastore.created == 0 ? Json() : Json(format_time(datastore.created))}};
}

Result<Datastore> parse_datastore(const Json& body) {
  JsonFields fields(body, "the datastore");
  Datastore store;
  store.name = fields.required_string("name");
  store.type = fields.string("type", store.type);
  store.properties = fields.string_map("properties", true);
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_registry_name(store.name, "datastore"));
  ROOST_CHECK(check_registry_name(store.type, "datastore type"));
  if (is_built_in(store.name)) {
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("the datastore {} is built in; register yours under another name", store.name));
  }
  if (to_text(store.properties).size() > 10'000) {
    return fail(ErrorCode::kInvalidArgument, "the properties of a datastore are over 10,000 bytes");
  }
  return store;
}

Result<Datastore> find_datastore(Tx& tx, std::string_view workspace, std::string_view name) {
  if (is_built_in(name)) return built_in(workspace, name);
  Rows rows = tx.query("SELECT name, type, properties_json, created FROM datastore WHERE workspace = ? AND"
                       " name = ?",
                       workspace, name);
  if (rows.next()) return read_datastore(rows, workspace);
  ROOST_CHECK(rows.status());
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no datastore \"{}\" in the workspace {}; {} is always there",
                          printable(name), workspace, kDefaultDatastore));
}

Result<std::vector<Datastore>> list_datastores(Tx& tx, std::string_view workspace) {
  std::vector<Datastore> all = {built_in(workspace, kDefaultDatastore), built_in(workspace, kFileStore)};
  Rows rows = tx.query(
      "SELECT name, type, properties_json, created FROM datastore WHERE workspace = ? ORDER BY name",
      workspace);
  while (rows.next()) all.push_back(read_datastore(rows, workspace));
  ROOST_CHECK(rows.status());
  return all;
}

Status put_datastore(Tx& tx, const Datastore& datastore) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO datastore VALUES (?, ?, ?, ?, ?)", datastore.workspace,
                     datastore.name, datastore.type, to_text(datastore.properties), datastore.created));
  return {};
}

Status delete_datastore(Tx& tx, const Datastore& datastore) {
  if (is_built_in(datastore.name)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the datastore {} is built in and stays", datastore.name));
  }
  ROOST_CHECK(delete_data_files(tx, datastore, ""));
  ROOST_CHECK(tx.run("DELETE FROM datastore WHERE workspace = ? AND name = ?", datastore.workspace,
                     datastore.name));
  return {};
}

Json data_file_json(const DataFile& file) {
  return {{"path", file.path}, {"size", file.size}, {"digest", file.digest}, {"at", format_time(file.at)}};
}

Result<NewFiles> parse_new_files(const Json& body) {
  JsonFields fields(body, "the files");
  NewFiles made;
  const Json files = fields.array("files");
  made.overwrite = fields.boolean("overwrite", false);
  ROOST_CHECK(fields.done());
  if (files.size() > kMostFiles) {
    return fail(ErrorCode::kTooLarge,
                fmt::format("a request names at most {} files; send the rest in another", kMostFiles));
  }
  for (const auto& item : files) {
    JsonFields entry(item, "a file");
    DataFile file;
    file.path = entry.required_string("path");
    file.digest = entry.required_string("digest");
    file.size = entry.integer("size", 0, 0, INT64_MAX / 2);
    ROOST_CHECK(entry.done());
    ROOST_CHECK(check_artifact_path(file.path));
    if (!is_digest(file.digest)) {
      return fail(ErrorCode::kInvalidArgument, "a file's digest must be 64 lower-case hex digits");
    }
    made.files.push_back(std::move(file));
  }
  return made;
}

Result<bool> put_data_file(Tx& tx, const Datastore& datastore, const DataFile& file, bool overwrite) {
  // A path cannot be a file and a folder at once.
  {
    Rows rows = tx.query("SELECT path FROM datastore_file WHERE workspace = ? AND datastore = ? AND"
                         " path > ? AND path < ? LIMIT 1",
                         datastore.workspace, datastore.name, file.path + "/", last_below(file.path));
    if (rows.next()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("\"{}\" is a folder in the datastore {}", printable(file.path),
                              datastore.name));
    }
    ROOST_CHECK(rows.status());
  }
  for (auto slash = file.path.find('/'); slash != std::string::npos; slash = file.path.find('/', slash + 1)) {
    const std::string above = file.path.substr(0, slash);
    Rows rows = tx.query("SELECT 1 FROM datastore_file WHERE workspace = ? AND datastore = ? AND path = ?",
                         datastore.workspace, datastore.name, above);
    if (rows.next()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("\"{}\" is a file in the datastore {}, so \"{}\" cannot lie below it",
                              printable(above), datastore.name, printable(file.path)));
    }
    ROOST_CHECK(rows.status());
  }
  ROOST_TRY(const std::int64_t changed,
            tx.run(overwrite ? "INSERT OR REPLACE INTO datastore_file VALUES (?, ?, ?, ?, ?, ?)"
                             : "INSERT OR IGNORE INTO datastore_file VALUES (?, ?, ?, ?, ?, ?)",
                   datastore.workspace, datastore.name, file.path, file.digest, file.size, file.at));
  return changed > 0;
}

Result<std::vector<DataFile>> list_data_files(Tx& tx, const Datastore& datastore, std::string_view prefix,
                                              std::string_view after, std::int64_t limit) {
  const std::string top(without_slash(prefix));
  std::vector<DataFile> files;
  Rows rows = tx.query("SELECT path, digest, size, at FROM datastore_file WHERE workspace = ? AND"
                       " datastore = ? AND path > ? AND (? = '' OR path = ? OR (path > ? AND path < ?))"
                       " ORDER BY path LIMIT ?",
                       datastore.workspace, datastore.name, after, top, top, top + "/", last_below(top),
                       limit);
  while (rows.next()) files.push_back({rows.text(0), rows.text(1), rows.integer(2), rows.integer(3)});
  ROOST_CHECK(rows.status());
  return files;
}

Result<std::int64_t> delete_data_files(Tx& tx, const Datastore& datastore, std::string_view prefix) {
  const std::string top(without_slash(prefix));
  return tx.run("DELETE FROM datastore_file WHERE workspace = ? AND datastore = ? AND (? = '' OR path = ?"
                " OR (path > ? AND path < ?))",
                datastore.workspace, datastore.name, top, top, top + "/", last_below(top));
}

}  // namespace roost
