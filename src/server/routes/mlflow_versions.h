#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mlflow/filter.h"
#include "records/registered_model_records.h"
#include "registry/models.h"
#include "server/routes/mlflow_calls.h"

namespace roost {

// A version of a registered model as MLflow's clients see it.
struct WireVersion {
  Model model;
  ModelSource source;
  std::string run;  // its id to clients
  std::vector<std::string> aliases;

  Micros updated() const { return source.updated == 0 ? model.created : source.updated; }
};

Result<WireVersion> find_wire_version(Tx& tx, const MlflowCall& call);  // named by the fields `name` and `version`
Result<WireVersion> find_wire_version(Tx& tx, const std::string& workspace, const std::string& name,
                                      std::int64_t version);
Result<std::vector<WireVersion>> list_wire_versions(Tx& tx, const std::string& workspace,
                                                    const std::string& name);  // newest first; all for ""
Json wire_version_json(const WireVersion& version);
// Of each stage the newest; `stages` "" or empty means all. They come by version.
std::vector<WireVersion> newest_of_stages(const std::vector<WireVersion>& versions,
                                          const std::vector<std::string>& stages);

// "production" -> "Production"; an error names those there are.
Result<std::string> stage_of(const std::string& text);

// Tags of names and versions: read from "tags", or from "key" and "value".
Result<Json> read_model_tags(const mlflow::WireFields& fields);
Result<std::pair<std::string, std::string>> read_model_tag(const mlflow::WireFields& fields);
Status check_model_tags(const Json& tags);

// Where a client finds its files.
std::string download_uri(const WireVersion& version);

}  // namespace roost
