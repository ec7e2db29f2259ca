#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"

namespace roost {

// A named place for data of a workspace: paths that name blobs. Every workspace has
// "workspaceblobstore", the default one, and "workspacefilestore".
struct Datastore {
  std::string workspace;
  std::string name;
  std::string type = "AzureBlob";
  Json properties = Json::object();  // as given when it was registered; secrets are not kept
  Micros created = 0;
};
inline constexpr std::string_view kDefaultDatastore = "workspaceblobstore";
Json datastore_json(const Datastore& datastore);

Result<Datastore> parse_datastore(const Json& body);
Result<Datastore> find_datastore(Tx& tx, std::string_view workspace, std::string_view name);
Result<std::vector<Datastore>> list_datastores(Tx& tx, std::string_view workspace);
// Registers it, or changes the properties of one that is there.
Status put_datastore(Tx& tx, const Datastore& datastore);
// Forgets it and its files. The built-in ones stay.
Status delete_datastore(Tx& tx, const Datastore& datastore);

struct DataFile {
  std::string path;
  std::string digest;
  std::int64_t size = 0;
  Micros at = 0;
};
Json data_file_json(const DataFile& file);

struct NewFiles {
  std::vector<DataFile> files;
  bool overwrite = false;
};
Result<NewFiles> parse_new_files(const Json& body);

// False if the path is taken and must not be overwritten.
Result<bool> put_data_file(Tx& tx, const Datastore& datastore, const DataFile& file, bool overwrite);
// Files whose path is `prefix` or lies below it ("" is all), after the path `after`, by path.
Result<std::vector<DataFile>> list_data_files(Tx& tx, const Datastore& datastore, std::string_view prefix,
                                              std::string_view after, std::int64_t limit);
Result<std::int64_t> delete_data_files(Tx& tx, const Datastore& datastore, std::string_view prefix);

}  // namespace roost
