#include "server/routes/mlflow_versions.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "mlflow/run_wire.h"
#include "records/run_records.h"
#include "records/wire_run_records.h"

namespace roost {
namespace {

constexpr const char* kStages[] = {"None", "Staging", "Production", "Archived"};

Result<WireVersion> wire_version(Tx& tx, Model model) {
  WireVersion version;
  ROOST_TRY(version.source, model_source(tx, model.seq));
  ROOST_TRY(const auto aliases, list_aliases(tx, model.workspace, model.name));
  for (const auto& alias : aliases) {
    if (alias.version == model.version) version.aliases.push_back(alias.alias);
  }
  version.run = version.source.run;
  if (version.run.empty() && model.run) {
    ROOST_TRY(const Run run, run_by_row(tx, *model.run));
    version.run = wire_run_id(run.id, run.seq);
  }
  version.model = std::move(model);
  return version;
}

}  // namespace

Result<WireVersion> find_wire_version(Tx& tx, const MlflowCall& call) {
  ROOST_TRY(const std::string name, call.fields.required_text("name"));
  ROOST_TRY(const auto version, call.fields.integer("version"));
  if (!version) return fail(ErrorCode::kInvalidArgument, "Missing value for required parameter 'version'");
  return find_wire_version(tx, call.workspace, name, *version);
}

Result<WireVersion> find_wire_version(Tx& tx, const std::string& workspace, const std::string& name,
                                      std::int64_t version) {
  auto found = find_model(tx, workspace, name, version);
  if (!found && found.error().code == ErrorCode::kNotFound) {
    return fail(ErrorCode::kNotFound,
                fmt::format("Model Version (name={}, version={}) not found", printable(name), version));
  }
  ROOST_TRY(Model model, std::move(found));
  return wire_version(tx, std::move(model));
}

Result<std::vector<WireVersion>> list_wire_versions(Tx& tx, const std::string& workspace, const std::string& name) {
  ModelFilter filter;
  filter.workspace = workspace;
  filter.name = name;
  filter.limit = INT64_MAX - 1;
  ROOST_TRY(ModelPage page, list_models(tx, filter));
  std::vector<WireVersion> all;
  for (Model& model : page.models) {
    ROOST_TRY(WireVersion version, wire_version(tx, std::move(model)));
    all.push_back(std::move(version));
  }
  return all;
}

Json wire_version_json(const WireVersion& version) {
  const Model& model = version.model;
  Json wire = {{"name", model.name},
               {"version", std::to_string(model.version)},
               {"creation_timestamp", mlflow::milliseconds(model.created)},
               {"last_updated_timestamp", mlflow::milliseconds(version.updated())},
               {"current_stage", version.source.stage},
               {"description", model.description},
               {"source", version.source.source.empty() ? download_uri(version) : version.source.source},
               {"run_id", version.run},
               {"status", "READY"},
               {"run_link", version.source.run_link}};
  for (const auto& tag : model.tags.items()) {
    wire["tags"].push_back({{"key", tag.key()}, {"value", tag.value().is_string() ? tag.value() : Json("")}});
  }
  if (!version.aliases.empty()) wire["aliases"] = version.aliases;
  if (!version.source.logged_model.empty()) wire["model_id"] = version.source.logged_model;
  return wire;
}

std::vector<WireVersion> newest_of_stages(const std::vector<WireVersion>& versions,
                                          const std::vector<std::string>& stages) {
  std::map<std::string, WireVersion> newest;
  for (const auto& version : versions) {
    const std::string& stage = version.source.stage;
    if (!stages.empty() && std::find(stages.begin(), stages.end(), stage) == stages.end()) continue;
    const auto known = newest.find(stage);
    if (known == newest.end() || known->second.model.version < version.model.version)
      newest.insert_or_assign(stage, version);
  }
  std::vector<WireVersion> all;
  for (auto& [stage, version] : newest) all.push_back(std::move(version));
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.model.version < b.model.version; });
  return all;
}

Result<std::string> stage_of(const std::string& text) {
  for (const char* stage : kStages) {
    if (lower(stage) == lower(text)) return std::string(stage);
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("Invalid Model Version stage: {}. Value must be one of None, Staging, Production, Archived.",
                          printable(text)));
}

std::string download_uri(const WireVersion& version) {
  if (version.model.files == 0 && !version.source.source.empty()) return version.source.source;
  std::string uri =
      fmt::format("mlflow-artifacts:/registry/{}/{}", percent_encode(version.model.name), version.model.version);
  if (!version.source.folder.empty()) uri += "/" + version.source.folder;
  return uri;
}

}  // namespace roost
