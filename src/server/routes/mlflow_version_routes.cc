// Versions of registered models.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "blobs/blob_store.h"
#include "mlflow/artifact_uri.h"
#include "mlflow/label_names.h"
#include "mlflow/run_wire.h"
#include "records/artifact_records.h"
#include "records/manifest_records.h"
#include "records/run_records.h"
#include "records/wire_run_records.h"
#include "server/routes/mlflow_models.h"
#include "server/routes/mlflow_runs.h"
#include "server/routes/mlflow_versions.h"
#include "server/routes/put_content.h"

namespace roost {
namespace {

// What a version is made of: the files as they are now, so that what becomes of the run changes nothing.
struct Pinned {
  Manifest manifest;
  std::string folder;  // that they lie in
  std::optional<std::int64_t> run;
  std::string run_id;
};

std::string last_part(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// Adds what lies below `path` under its last part; or all of it under `name` if the path is "".
void take_files(Pinned& pinned, const std::vector<Artifact>& files, const std::string& path, const std::string& name) {
  pinned.folder = path.empty() ? name : last_part(path);
  for (const auto& file : files) {
    std::string below = file.path;
    if (!path.empty() && file.path == path) {
      below.clear();  // the path is a file
    } else if (!path.empty()) {
      if (!file.path.starts_with(path + "/")) continue;
      below = file.path.substr(path.size() + 1);
    }
    ManifestEntry entry;
    entry.path = below.empty() ? pinned.folder : pinned.folder + "/" + below;
    entry.digest = file.digest;
    entry.size = file.size;
    pinned.manifest.size += entry.size;
    pinned.manifest.entries.push_back(std::move(entry));
  }
  std::sort(pinned.manifest.entries.begin(), pinned.manifest.entries.end(),
            [](const ManifestEntry& a, const ManifestEntry& b) { return a.path < b.path; });
}

Status pin_run_files(Tx& tx, const MlflowCall& call, const mlflow::SourceUri& uri, Pinned& pinned) {
  const auto run = find_wire_run(tx, call.workspace, uri.owner);
  if (!run) return run.error().code == ErrorCode::kNotFound ? Status() : fail(run.error());
  ROOST_CHECK(check_reach(tx, *run, call.who, Reach::kRead));
  pinned.run = run->seq;
  ROOST_TRY(const auto files, list_artifacts(tx, run->seq, uri.path, "", INT64_MAX));
  take_files(pinned, files, uri.path, "model");
  return {};
}

Status pin_logged_model(Tx& tx, const MlflowCall& call, const mlflow::SourceUri& uri, Pinned& pinned) {
  ROOST_TRY(const LoggedModel model, find_logged_model(tx, call.workspace, uri.owner));
  ROOST_TRY(const auto files, list_model_files(tx, model, ""));
  take_files(pinned, files, uri.path, model.name);
  pinned.run = model.run;
  if (model.run) {
    ROOST_TRY(const Run run, run_by_row(tx, *model.run));
    pinned.run_id = wire_run_id(run.id, run.seq);
  }
  return {};
}

struct NewVersion {
  std::string name;
  std::string description;
  Json tags;
  ModelSource source;
};

Result<NewVersion> read_version(const MlflowCall& call) {
  NewVersion made;
  ROOST_TRY(made.name, call.fields.text("name"));
  ROOST_CHECK(mlflow::check_model_name(made.name));
  ROOST_TRY(made.source.source, call.fields.required_text("source"));
  ROOST_TRY(made.source.run, call.fields.text("run_id"));
  ROOST_TRY(made.source.run_link, call.fields.text("run_link"));
  ROOST_TRY(made.source.logged_model, call.fields.text("model_id"));
  ROOST_TRY(const std::string description, call.fields.text("description"));
  made.description = mlflow::cut(description, 10'000);
  ROOST_TRY(made.tags, read_model_tags(call.fields));
  if (made.source.run_link.size() > 500 || made.source.run.size() > 500 || made.source.logged_model.size() > 500) {
    return fail(ErrorCode::kInvalidArgument, "run_id, run_link and model_id have at most 500 bytes");
  }
  return made;
}

// A source in the artifacts of a run has to be in those of the run that the call names: that is what keeps one from
// registering, and then reading, what belongs to another.
Status check_owner(const std::string& source, const mlflow::SourceUri& uri, const std::string& run) {
  if (uri.kind != mlflow::SourceUri::kRunFiles || !lower(source).starts_with("mlflow-artifacts:")) return {};
  if (uri.owner == run) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format(
          "Invalid model version source: '{}'. To use a source in the artifacts of a run, give that run's id as run_id",
          printable(source)));
}

// The client of the model's version finds it by this tag.
Status note_version(Tx& tx, LoggedModel model, const Model& version, Micros now) {
  constexpr const char* kVersions = "mlflow.modelVersions";
  Json versions = stored_json(text_at(model.tags, kVersions));
  if (!versions.is_array()) versions = Json::array();
  versions.push_back({{"name", version.name}, {"version", version.version}});
  model.tags[kVersions] = to_text(versions);
  model.updated = now;
  return save_logged_model(tx, model);
}

Result<Response> create(MlflowCall& call) {
  ROOST_TRY(NewVersion made, read_version(call));
  ROOST_TRY(const mlflow::SourceUri uri, mlflow::parse_source_uri(made.source.source));
  ROOST_CHECK(check_owner(made.source.source, uri, made.source.run));
  const auto hold = call.app.blobs->hold();
  Pinned pinned;
  std::optional<Model> copied;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_registered_model(tx, call.workspace, made.name));
    switch (uri.kind) {
      case mlflow::SourceUri::kRunFiles:
        return pin_run_files(tx, call, uri, pinned);
      case mlflow::SourceUri::kLoggedModel:
        return pin_logged_model(tx, call, uri, pinned);
      case mlflow::SourceUri::kVersion: {
        ROOST_TRY(WireVersion version, find_wire_version(tx, call.workspace, uri.owner, uri.version));
        pinned.folder = version.source.folder;
        pinned.run_id = version.run;
        pinned.run = version.model.run;
        copied = std::move(version.model);
        return {};
      }
      case mlflow::SourceUri::kElsewhere:
        break;
    }
    return {};
  }));
  Model model;
  model.workspace = call.workspace;
  model.name = made.name;
  model.created = call.app.clock.now();
  model.created_by = call.who.name;
  model.description = made.description;
  model.tags = made.tags;
  model.run = pinned.run;
  model.facts = {{"datasets", Json::array()}, {"sample_input", nullptr}, {"sample_output", nullptr}, {"resources", nullptr}};
  if (copied) {
    model.content = copied->content;
    model.files = copied->files;
    model.size = copied->size;
  } else {
    ROOST_CHECK(check_manifest(pinned.manifest));
    ROOST_TRY(model.content, put_content(call.app, pinned.manifest));
    model.files = static_cast<std::int64_t>(count_files(pinned.manifest));
    model.size = static_cast<std::int64_t>(pinned.manifest.size);
  }
  made.source.folder = pinned.folder;
  if (made.source.run.empty()) made.source.run = pinned.run_id;
  if (made.source.logged_model.empty() && uri.kind == mlflow::SourceUri::kLoggedModel)
    made.source.logged_model = uri.owner;
  Json wire;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_registered_model(tx, call.workspace, made.name));
    if (!copied) ROOST_CHECK(store_manifest(tx, model.content, pinned.manifest, model.created));
    ROOST_CHECK(insert_model(tx, model));
    ROOST_CHECK(put_model_source(tx, model.seq, made.source));
    if (!made.source.logged_model.empty()) {
      auto logged = find_logged_model(tx, call.workspace, made.source.logged_model);
      if (logged) ROOST_CHECK(note_version(tx, std::move(*logged), model, model.created));
    }
    ROOST_TRY(const WireVersion version, find_wire_version(tx, call.workspace, model.name, model.version));
    wire = wire_version_json(version);
    return {};
  }));
  return json_response({{"model_version", std::move(wire)}});
}

Result<Response> get(MlflowCall& call) {
  Json wire;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const WireVersion version, find_wire_version(tx, call));
    wire = wire_version_json(version);
    return {};
  }));
  return json_response({{"model_version", std::move(wire)}});
}

Result<Response> get_download_uri(MlflowCall& call) {
  std::string uri;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const WireVersion version, find_wire_version(tx, call));
    uri = download_uri(version);
    return {};
  }));
  return json_response({{"artifact_uri", uri}});
}

// Writes to the version that the call names, and to its name's time of change.
Result<Response> change(MlflowCall& call, bool shown, const std::function<Status(Tx&, WireVersion&)>& work) {
  Json wire;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(WireVersion version, find_wire_version(tx, call));
    version.source.updated = call.app.clock.now();
    ROOST_CHECK(work(tx, version));
    ROOST_CHECK(save_model(tx, version.model));
    ROOST_CHECK(put_model_source(tx, version.model.seq, version.source));
    ROOST_TRY(RegisteredModel name, find_registered_model(tx, call.workspace, version.model.name));
    name.updated = version.source.updated;
    ROOST_CHECK(save_registered_model(tx, name));
    if (shown) wire = wire_version_json(version);
    return {};
  }));
  return shown ? json_response({{"model_version", std::move(wire)}}) : empty_answer();
}

Result<Response> update(MlflowCall& call) {
  ROOST_TRY(const std::string description, call.fields.text("description"));
  return change(call, true, [&](Tx&, WireVersion& version) -> Status {
    version.model.description = mlflow::cut(description, 10'000);
    return {};
  });
}

Result<Response> transition_stage(MlflowCall& call) {
  ROOST_TRY(const std::string text, call.fields.required_text("stage"));
  ROOST_TRY(const std::string stage, stage_of(text));
  ROOST_TRY(const bool archive, call.fields.flag("archive_existing_versions"));
  if (archive && stage != "Staging" && stage != "Production") {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "Model version transition cannot archive existing model versions because '{}' is not an Active stage. "
            "Valid stages are Staging, Production",
            stage));
  }
  return change(call, true, [&](Tx& tx, WireVersion& version) -> Status {
    version.source.stage = stage;
    if (!archive) return {};
    ROOST_TRY(auto others, list_wire_versions(tx, call.workspace, version.model.name));
    for (auto& other : others) {
      if (other.source.stage != stage || other.model.version == version.model.version) continue;
      other.source.stage = "Archived";
      other.source.updated = version.source.updated;
      ROOST_CHECK(put_model_source(tx, other.model.seq, other.source));
    }
    return {};
  });
}

Result<Response> set_tag(MlflowCall& call) {
  ROOST_TRY(const auto tag, read_model_tag(call.fields));
  return change(call, false, [&](Tx&, WireVersion& version) -> Status {
    version.model.tags[tag.first] = tag.second;
    return check_model_tags(version.model.tags);
  });
}

Result<Response> delete_tag(MlflowCall& call) {
  ROOST_TRY(const std::string key, call.fields.required_text("key"));
  return change(call, false, [&](Tx&, WireVersion& version) -> Status {
    version.model.tags.erase(key);
    return {};
  });
}

Result<Response> remove(MlflowCall& call) {
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const WireVersion version, find_wire_version(tx, call));
    ROOST_CHECK(delete_model(tx, version.model));
    ROOST_TRY(RegisteredModel name, find_registered_model(tx, call.workspace, version.model.name));
    name.updated = call.app.clock.now();
    return save_registered_model(tx, name);
  }));
  return empty_answer();
}

class VersionSubject final : public mlflow::FilterSubject {
 public:
  explicit VersionSubject(const WireVersion& version) : version_(version) {}
  std::optional<std::string> text(const mlflow::FilterKey& key) const override {
    if (key.side == mlflow::FilterSide::kTag) {
      if (!version_.model.tags.contains(key.name)) return std::nullopt;
      return text_at(version_.model.tags, key.name);
    }
    if (key.name == "name") return version_.model.name;
    if (key.name == "run_id") return version_.run;
    if (key.name == "source_path") return version_.source.source;
    return std::nullopt;
  }
  std::optional<double> number(const mlflow::FilterKey& key) const override {
    if (key.name == "version_number") return static_cast<double>(version_.model.version);
    if (key.name == "creation_timestamp") return static_cast<double>(mlflow::milliseconds(version_.model.created));
    if (key.name == "last_updated_timestamp") return static_cast<double>(mlflow::milliseconds(version_.updated()));
    return std::nullopt;
  }

 private:
  const WireVersion& version_;
};

// Those of one name are looked up; else all are looked at.
std::string only_name(const std::vector<mlflow::FilterTerm>& filter) {
  for (const auto& term : filter) {
    const bool is_name = term.key.side == mlflow::FilterSide::kAttribute && term.key.name == "name";
    if (is_name && term.sign == mlflow::FilterSign::kEqual) return term.texts.front();
  }
  return "";
}

// What changed last comes first, unless something else was asked for.
void put_in_order(std::vector<WireVersion>& versions, const std::vector<mlflow::OrderTerm>& order) {
  std::sort(versions.begin(), versions.end(), [&](const WireVersion& a, const WireVersion& b) {
    if (const auto before = mlflow::comes_before(VersionSubject(a), VersionSubject(b), order)) return *before;
    if (a.updated() != b.updated()) return a.updated() > b.updated();
    return std::tie(a.model.name, b.model.version) < std::tie(b.model.name, a.model.version);
  });
}

Result<Response> search(MlflowCall& call) {
  ROOST_TRY(const std::string text, call.fields.text("filter"));
  ROOST_TRY(const auto filter, mlflow::parse_filter(text, mlflow::FilterOf::kVersions));
  ROOST_TRY(const auto order_texts, call.fields.texts("order_by"));
  ROOST_TRY(const auto order, mlflow::parse_order(order_texts, mlflow::FilterOf::kVersions));
  ROOST_TRY(const std::int64_t limit, mlflow::max_results(call.fields, 10'000, 200'000));
  ROOST_TRY(const std::int64_t offset, mlflow::page_offset(call.fields));
  std::vector<WireVersion> versions;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(versions, list_wire_versions(tx, call.workspace, only_name(filter)));
    return {};
  }));
  std::erase_if(versions,
                [&](const WireVersion& version) { return !mlflow::matches(VersionSubject(version), filter); });
  put_in_order(versions, order);
  const auto count = static_cast<std::int64_t>(versions.size());
  Json answer = Json::object();
  for (std::int64_t i = offset; i < std::min(count, offset + limit); ++i) {
    answer["model_versions"].push_back(wire_version_json(versions[static_cast<std::size_t>(i)]));
  }
  if (offset + limit < count) answer["next_page_token"] = mlflow::page_token(offset + limit);
  return json_response(answer);
}

}  // namespace

void add_mlflow_version_calls(MlflowCalls& calls) {
  const std::string versions = "/model-versions";
  calls.add("POST", versions + "/create", "mlflow_create_model_version", Need::kContributorOrRun, create);
  calls.add("GET", versions + "/get", "mlflow_get_model_version", Need::kReaderOrRun, get);
  calls.add("GET", versions + "/search", "mlflow_search_model_versions", Need::kReaderOrRun, search);
  calls.add("GET", versions + "/get-download-uri", "mlflow_get_download_uri", Need::kReaderOrRun, get_download_uri);
  calls.add("PATCH", versions + "/update", "mlflow_update_model_version", Need::kContributorOrRun, update);
  calls.add("DELETE", versions + "/delete", "mlflow_delete_model_version", Need::kContributor, remove);
  calls.add("POST", versions + "/transition-stage", "mlflow_transition_stage", Need::kContributorOrRun,
            transition_stage);
  calls.add("POST", versions + "/set-tag", "mlflow_set_model_version_tag", Need::kContributorOrRun, set_tag);
  calls.add("DELETE", versions + "/delete-tag", "mlflow_delete_model_version_tag", Need::kContributorOrRun, delete_tag);
}

}  // namespace roost
