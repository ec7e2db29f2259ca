#include "server/settle_deployment.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/manifest.h"
#include "records/manifest_records.h"
#include "registry/models.h"

namespace roost {
namespace {

Result<Model> find_reference(Tx& tx, const std::string& workspace, const std::string& text) {
  ROOST_TRY(const ModelReference reference, parse_model_reference(text));
  return find_model(tx, workspace, reference.name, reference.version > 0 ? std::optional(reference.version) : std::nullopt);
}

Result<Manifest> read_manifest(const BlobStore& blobs, const std::string& digest) {
  ROOST_TRY(const std::string text, blobs.read(digest));
  return parse_manifest(text);
}

std::string file_names(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const auto& entry : manifest.entries) {
    if (entry.is_file() && names.size() < 5) names.push_back(entry.path);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::size_t count_onnx(const Manifest& manifest) {
  return static_cast<std::size_t>(std::count_if(manifest.entries.begin(), manifest.entries.end(), [](const auto& entry) {
    return entry.is_file() && lower(entry.path).ends_with(".onnx");
  }));
}

// A PyTorch file has no graph in it that could be run without its class.
std::string way_out(const Model& model, const Manifest& manifest) {
  const std::string files = file_names(manifest);
  const bool is_torch = files.find(".pt") != std::string::npos || model.framework == "PyTorch";
  return fmt::format("{}:{} cannot be served without code: it is {}, and has {}. {}, or give it a score.py (InferenceConfig, "
                     "'roost deploy --code')",
                     model.name, model.version, model.framework.value_or("of no framework"),
                     files.empty() ? "no files" : files,
                     is_torch ? fmt::format("Make it ONNX with 'roost model export {}:{} --to onnx --input SHAPE'", model.name, model.version)
                              : std::string("Register one .onnx file, or a scikit-learn model with its framework ScikitLearn"));
}

Result<std::string> runtime_of(const BlobStore& blobs, const std::vector<Model>& models) {
  if (models.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a deployment without models needs code: give it a score.py (\"code\")");
  }
  std::string runtime;
  for (const auto& model : models) {
    ROOST_TRY(const Manifest manifest, read_manifest(blobs, model.content));
    const std::string one = count_onnx(manifest) >= 1 ? "onnx" : model.framework == "ScikitLearn" ? "sklearn" : "";
    if (one.empty()) return fail(ErrorCode::kInvalidArgument, way_out(model, manifest));
    if (!runtime.empty() && runtime != one) {
      return fail(ErrorCode::kInvalidArgument, "models of different frameworks in one deployment need code that calls them");
    }
    runtime = one;
  }
  if (runtime == "sklearn" && models.size() > 1) {
    return fail(ErrorCode::kInvalidArgument, "several scikit-learn models in one deployment need code that chooses between them");
  }
  return runtime;
}

Status check_onnx(const BlobStore& blobs, const std::vector<Model>& models) {
  for (const auto& model : models) {
    ROOST_TRY(const Manifest manifest, read_manifest(blobs, model.content));
    if (count_onnx(manifest) == 0) return fail(ErrorCode::kInvalidArgument, way_out(model, manifest));
  }
  return {};
}

Status check_code(Database& db, const BlobStore& blobs, const DeploymentSpec& deployment) {
  ROOST_CHECK(db.read([&](Tx& tx) -> Status {
    if (find_manifest(tx, deployment.snapshot)) return {};
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the code {} is not on the server; upload it first, as Model.deploy() and 'roost deploy' do by themselves",
                            deployment.snapshot));
  }));
  ROOST_TRY(const Manifest manifest, read_manifest(blobs, deployment.snapshot));
  const bool is_there = std::any_of(manifest.entries.begin(), manifest.entries.end(), [&](const auto& entry) {
    return entry.is_file() && entry.path == deployment.entry_script;
  });
  if (is_there) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("the entry script \"{}\" is not in the code, which has {}", deployment.entry_script, file_names(manifest)));
}

}  // namespace

Status settle_deployment(Database& db, const BlobStore& blobs, const std::string& workspace, DeploymentSpec& deployment) {
  std::vector<Model> models;
  ROOST_CHECK(db.read([&](Tx& tx) -> Status {
    models.clear();
    for (const auto& text : deployment.models) {
      ROOST_TRY(Model model, find_reference(tx, workspace, text));
      models.push_back(std::move(model));
    }
    return {};
  }));
  for (std::size_t i = 0; i < models.size(); ++i) {
    deployment.models[i] = fmt::format("{}:{}", models[i].name, models[i].version);
  }
  if (!deployment.snapshot.empty()) {
    deployment.runtime = "python";
    return check_code(db, blobs, deployment);
  }
  if (deployment.runtime == "python") {
    return fail(ErrorCode::kInvalidArgument, "the runtime python needs \"code\": a snapshot with an entry script");
  }
  if (deployment.runtime.empty()) {
    ROOST_TRY(deployment.runtime, runtime_of(blobs, models));
  } else if (deployment.runtime == "onnx") {
    ROOST_CHECK(check_onnx(blobs, models));
  }
  return {};
}

Result<std::vector<EndpointModel>> models_of(Tx& tx, const std::string& workspace, const EndpointSpec& spec) {
  std::vector<EndpointModel> models;
  for (const auto& deployment : spec.deployments) {
    for (const auto& text : deployment.models) {
      ROOST_TRY(const Model model, find_reference(tx, workspace, text));
      models.push_back({deployment.name, model.seq});
    }
  }
  return models;
}

Result<std::vector<DeployedModel>> deployed_models(Tx& tx, const std::string& workspace, const DeploymentSpec& deployment) {
  std::vector<DeployedModel> models;
  for (const auto& text : deployment.models) {
    ROOST_TRY(const Model model, find_reference(tx, workspace, text));
    models.push_back({model.name, model.version, model.content});
  }
  return models;
}

}  // namespace roost
