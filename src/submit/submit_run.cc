#include "submit/submit_run.h"

#include <fmt/format.h>

#include "records/compute_records.h"
#include "records/run_records.h"
#include "records/workspace_records.h"

namespace roost {
namespace {

// The manifest is canonical text, one JSON array a line that starts with the path.
bool has_file(std::string_view manifest, const std::string& path) {
  const std::string line = fmt::format("[{},", to_text(Json(path)));
  return manifest.starts_with(line) || manifest.find("\n" + line) != std::string_view::npos;
}

Status check_snapshot(Tx& tx, const BlobStore& blobs, const RunSpec& spec) {
  if (!spec.snapshot) {
    if (spec.script.empty()) return {};
    return fail(ErrorCode::kInvalidArgument,
                "a run of a script needs \"snapshot\", the digest of an uploaded source folder");
  }
  {
    Rows rows = tx.query("SELECT 1 FROM snapshot WHERE digest = ?", *spec.snapshot);
    if (!rows.next()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the snapshot {} is not on the server; upload it first (POST "
                              "/api/v1/snapshots)",
                              *spec.snapshot));
    }
  }
  if (spec.script.empty()) return {};
  ROOST_TRY(const std::string manifest, blobs.read(*spec.snapshot));
  if (has_file(manifest, spec.script)) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("the script \"{}\" is not in the source folder's snapshot; check its name and "
                          "the ignore file",
                          spec.script));
}

}  // namespace

Result<Run> submit_run(Tx& tx, const BlobStore& blobs, const std::string& workspace,
                       const RunSpec& spec, const std::string& created_by, Micros now) {
  ROOST_TRY(const Workspace owner, find_workspace(tx, workspace));
  ROOST_TRY(const Compute compute, find_compute(tx, workspace, spec.compute));
  if (compute.deleting) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the compute {} is being deleted; choose another", compute.name));
  }
  if (spec.node_count > compute.max_nodes) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the run wants {} nodes, but {} has at most {}; raise it with 'roost "
                            "compute update'",
                            spec.node_count, compute.name, compute.max_nodes));
  }
  ROOST_CHECK(check_snapshot(tx, blobs, spec));
  if (spec.parent) ROOST_CHECK(find_run(tx, *spec.parent));
  ROOST_TRY(const Experiment experiment, open_experiment(tx, workspace, spec.experiment, now));

  Run run;
  run.id = new_run_id(spec.experiment, now);
  run.workspace = owner.name;
  run.experiment = experiment.name;
  run.experiment_row = experiment.row;
  run.display_name = spec.display_name;
  run.parent = spec.parent;
  run.compute = compute.name;
  run.priority = spec.priority;
  run.created_by = created_by;
  run.created = now;
  run.max_retries = spec.max_retries;
  run.snapshot = spec.snapshot;
  run.spec = run_spec_json(spec);
  run.environment = spec.environment;
  run.git = spec.git;
  run.tags = spec.tags;
  run.properties = spec.properties;
  if (run.snapshot) run.properties["ContentSnapshotId"] = *run.snapshot;
  run.properties["_azureml.ComputeTargetType"] = "amlctrain";
  if (run.git.is_object()) {
    for (const char* key : {"repository_uri", "branch", "commit"}) {
      if (run.git.contains(key) && run.git[key].is_string()) {
        run.properties[fmt::format("azureml.git.{}", key)] = run.git[key];
      }
    }
    if (run.git.contains("dirty")) {
      run.properties["azureml.git.dirty"] = run.git["dirty"] == true ? "True" : "False";
    }
  }
  ROOST_CHECK(insert_run(tx, run));
  return run;
}

}  // namespace roost
