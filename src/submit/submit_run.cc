#include "submit/submit_run.h"

#include <charconv>

#include <fmt/format.h>

#include "domain/sdk_python.h"
#include "records/alert_records.h"
#include "records/bin_records.h"
#include "records/compute_records.h"
#include "records/manifest_records.h"
#include "records/run_records.h"
#include "records/secret_records.h"
#include "records/workspace_records.h"
#include "registry/environments.h"

namespace roost {
namespace {

// The manifest is canonical text, one JSON array a line that starts with the path.
bool has_file(std::string_view manifest, const std::string& path) {
  const std::string line = fmt::format("[{},", to_text(Json(path)));
  return manifest.starts_with(line) || manifest.find("\n" + line) != std::string_view::npos;
}

Status check_snapshot(Tx& tx, const RunSpec& spec) {
  if (!spec.snapshot) {
    if (spec.script.empty()) return {};
    return fail(ErrorCode::kInvalidArgument,
                "a run of a script needs \"snapshot\", the digest of an uploaded source folder");
  }
  if (!find_manifest(tx, *spec.snapshot)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the snapshot {} is not on the server; upload it first, as `roost submit` "
                            "and the Python package do by themselves",
                            *spec.snapshot));
  }
  return {};
}

Status check_inputs(Tx& tx, const RunSpec& spec) {
  for (const auto& input : spec.inputs) {
    if (find_manifest(tx, input.content)) continue;
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the content {} of the input {} is not on the server; upload it first, as `roost submit` "
                            "and the Python package do by themselves",
                            input.content, input.name));
  }
  return {};
}

Status check_script(const BlobStore& blobs, const RunSpec& spec) {
  if (!spec.snapshot || spec.script.empty()) return {};
  ROOST_TRY(const std::string manifest, blobs.read(*spec.snapshot));
  if (has_file(manifest, spec.script)) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("the script \"{}\" is not in the source folder's snapshot; check its name and "
                          "the ignore file",
                          spec.script));
}

Status check_compute(Tx& tx, const std::string& workspace, const RunSpec& spec) {
  ROOST_TRY(const Compute compute, find_compute(tx, workspace, spec.compute));
  if (compute.deleting || compute.draining) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the compute {} is being deleted{}; choose another", compute.name,
                            compute.deleting ? "" : " and takes no new runs"));
  }
  if (spec.node_count > compute.max_nodes) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the run wants {} nodes, but {} has at most {}; raise it with 'roost "
                            "compute update'",
                            spec.node_count, compute.name, compute.max_nodes));
  }
  if (compute.max_nodes_per_user > 0 && spec.node_count > compute.max_nodes_per_user) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the run wants {} nodes, but one user may hold at most {} of {} at a time",
                            spec.node_count, compute.max_nodes_per_user, compute.name));
  }
  return {};
}

// Where a run has none yet, it would only learn so on its node.
Status check_secrets(Tx& tx, const std::string& workspace, const RunSpec& spec) {
  for (const auto& item : spec.secrets.items()) {
    ROOST_TRY(const auto found, look_for_secret(tx, workspace, item.value().get_ref<const std::string&>()));
    if (found) continue;
    const std::string name = item.value().get<std::string>();
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the run wants the secret \"{}\" as {}, but the workspace {} has none of that name; 'roost secret "
                            "set {}' makes it",
                            name, item.key(), workspace, name));
  }
  return {};
}

Status check_parent(Tx& tx, const std::string& workspace, const std::string& parent) {
  ROOST_TRY(const Run above, find_run(tx, parent));
  ROOST_CHECK(check_not_in_bin(above));
  if (above.workspace == workspace) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("the parent {} is in the workspace {}, not in {}", parent, above.workspace,
                          workspace));
}

// The definition that the name stands for now goes into the run: a later version changes nothing.
Result<Json> pin_environment(Tx& tx, const CuratedEnvironments& curated, const std::string& workspace,
                             const Json& asked) {
  const std::string name = text_at(asked, "name");
  if (name.empty()) return asked;
  std::optional<std::int64_t> version;
  if (const std::string text = text_at(asked, "version"); !text.empty()) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) version = number;
  }
  ROOST_TRY(const Environment found, find_environment(tx, curated, workspace, name, version));
  Json pinned = asked;
  pinned["name"] = found.name;
  pinned["version"] = std::to_string(found.version);
  pinned["definition"] = found.definition;
  if (text_at(asked, "python").empty()) ROOST_CHECK(check_sdk_python(found.definition));
  if (!found.alias_of.empty()) pinned["alias_of"] = found.alias_of;
  return pinned;
}

Status insert_notify(Tx& tx, const Run& run, const std::vector<std::string>& notify, Micros now) {
  for (const auto& text : notify) {
    ROOST_TRY(const Notify one, parse_notify(text));
    AlertRule rule{0, run.workspace, "", run.seq, one.channel, one.events, now, run.created_by};
    ROOST_CHECK(insert_alert_rule(tx, rule));
  }
  return {};
}

}  // namespace

Status check_files(const BlobStore& blobs, const RunSpec& spec) {
  ROOST_CHECK(check_script(blobs, spec));
  for (const auto& input : spec.inputs) {
    if (input.file.empty()) continue;
    ROOST_TRY(const std::string manifest, blobs.read(input.content));
    if (has_file(manifest, input.file)) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the content of the input {} has no file {}", input.name, input.file));
  }
  return {};
}

Result<Run> submit_run(Tx& tx, const Status& files, const CuratedEnvironments& curated,
                       const std::string& workspace, const RunSpec& spec,
                       const std::string& created_by, Micros now) {
  ROOST_TRY(const Workspace owner, find_workspace(tx, workspace));
  if (!spec.interactive) ROOST_CHECK(check_compute(tx, workspace, spec));
  ROOST_CHECK(check_snapshot(tx, spec));
  ROOST_CHECK(check_inputs(tx, spec));
  ROOST_CHECK(check_secrets(tx, owner.name, spec));
  ROOST_CHECK(files);
  if (spec.parent) ROOST_CHECK(check_parent(tx, workspace, *spec.parent));
  ROOST_TRY(const Json environment, pin_environment(tx, curated, workspace, spec.environment));
  ROOST_TRY(const Experiment experiment, open_experiment(tx, workspace, spec.experiment, now));

  Run run;
  run.id = spec.id.empty() ? new_run_id(spec.experiment, now) : spec.id;
  run.workspace = owner.name;
  run.experiment = experiment.name;
  run.experiment_row = experiment.row;
  run.display_name = spec.display_name;
  run.parent = spec.parent;
  run.compute = spec.compute;
  run.priority = spec.priority;
  run.created_by = created_by;
  run.created = now;
  run.max_retries = spec.max_retries;
  run.snapshot = spec.snapshot;
  run.spec = run_spec_json(spec);
  run.environment = environment;
  run.git = spec.git;
  run.tags = spec.tags;
  run.properties = spec.properties;
  if (run.snapshot) run.properties["ContentSnapshotId"] = *run.snapshot;
  if (spec.interactive) {
    run.type = kInteractiveType;
    run.attempt = 1;
  } else if (spec.is_sweep) {
    run.type = kSweepType;
    run.attempt = 1;
  } else {
    if (spec.is_replica) run.type = kReplicaType;
    run.properties["_azureml.ComputeTargetType"] = "amlctrain";
  }
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
  ROOST_CHECK(insert_notify(tx, run, spec.notify, now));
  for (const auto& input : spec.inputs) {
    ROOST_CHECK(insert_input(tx, run, input.name, input.content));
  }
  if (spec.interactive) {
    run.started = now;
    ROOST_CHECK(move_run(tx, run, RunStatus::kRunning, "interactive: it runs where it was made", now));
  } else if (spec.is_sweep) {
    run.started = now;
    ROOST_CHECK(move_run(tx, run, RunStatus::kRunning, "its children are tried", now));
  }
  return run;
}

}  // namespace roost
