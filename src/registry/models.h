#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"
#include "domain/manifest.h"
#include "domain/run.h"

namespace roost {

// A version of a model: files by content, and where they came from. All calls work inside a caller's
// transaction.
struct Model {
  std::int64_t seq = 0;
  std::string workspace;
  std::string name;
  std::int64_t version = 0;
  Micros created = 0;
  std::string created_by;
  std::string description;
  Json tags = Json::object();
  Json properties = Json::object();
  std::optional<std::string> framework;
  std::optional<std::string> framework_version;
  std::optional<std::int64_t> run;  // row of the run it came from
  // {"datasets", "sample_input", "sample_output", "resources"}: kept as given.
  Json facts = Json::object();
  std::string content;  // digest of a manifest
  std::int64_t files = 0;
  std::int64_t size = 0;
};

// A registration as a client asks for it: `content`, or `run` and `path` of its outputs.
struct NewModel {
  Model model;
  std::string run;
  std::string path;
};
Result<NewModel> parse_new_model(const Json& body);

// The files of a run that `path` names (one file, or a folder), as a model keeps them: below the
// last part of `path`; with an .onnx file goes the .onnx.data beside it. kNotFound if there are none.
Result<Manifest> outputs_manifest(Tx& tx, const Run& run, const std::string& path);

// Gives the next version of its name and stores it.
Status insert_model(Tx& tx, Model& model);
// The newest version if none is named.
Result<Model> find_model(Tx& tx, std::string_view workspace, std::string_view name,
                         std::optional<std::int64_t> version);
// Stores tags, properties and description.
Status save_model(Tx& tx, const Model& model);
// kFailedPrecondition while an endpoint serves it.
Status delete_model(Tx& tx, const Model& model);

struct ModelFilter {
  std::string workspace;
  std::string name;
  std::vector<std::string> tags;  // each "key" or "key=value"
  std::string run;
  std::string framework;
  bool latest = false;
  std::int64_t limit = 50;
  std::optional<std::int64_t> before_seq;
};
struct ModelPage {
  std::vector<Model> models;  // newest first
  std::optional<std::int64_t> next;
};
Result<ModelPage> list_models(Tx& tx, const ModelFilter& filter);

// With the lineage: run, experiment, snapshot and environment it came from.
Result<Json> model_json(Tx& tx, const Model& model);

}  // namespace roost
