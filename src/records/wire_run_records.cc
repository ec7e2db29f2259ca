#include "records/wire_run_records.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "records/param_records.h"
#include "records/run_records.h"

namespace roost {
namespace {

constexpr std::string_view kByRow = "run-";

bool is_wire_id(std::string_view id) {
  const auto plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !id.empty() && id.size() <= 256 && plain(id.front()) &&
         std::all_of(id.begin(), id.end(), [&](char c) { return plain(c) || c == '_' || c == '-'; });
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

tl::unexpected<Error> no_experiment(std::string_view id) {
  return fail(ErrorCode::kNotFound, fmt::format("No Experiment with id={} exists", printable(id)));
}

Status read_metrics(Tx& tx, std::int64_t row, std::int64_t attempt, std::vector<mlflow::WireMetric>& metrics) {
  Rows rows =
      tx.query("SELECT name, last_number, last_json, last_at, last_step FROM metric WHERE run = ? AND attempt = ?", row,
               std::max<std::int64_t>(attempt, 1));
  while (rows.next()) {
    // NaN has no number in the database; images and tables have none at all.
    const bool is_nan = rows.is_null(1) && rows.bytes(2) == "\"NaN\"";
    if (rows.is_null(1) && !is_nan) continue;
    metrics.push_back({rows.text(0), is_nan ? std::numeric_limits<double>::quiet_NaN() : rows.real(1), rows.integer(3),
                       rows.integer(4)});
  }
  return rows.status();
}

Status read_datasets(Tx& tx, std::int64_t row, std::vector<mlflow::WireDataset>& datasets) {
  Rows rows = tx.query(
      "SELECT name, digest, source_type, source, schema, profile, tags_json FROM run_dataset"
      " WHERE run = ? ORDER BY rowid",
      row);
  while (rows.next()) {
    datasets.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5),
                        stored_json(rows.bytes(6))});
  }
  return rows.status();
}

Status read_model_uses(Tx& tx, std::int64_t row, mlflow::WireRun& run) {
  Rows rows = tx.query("SELECT is_output, model, step FROM run_model WHERE run = ?", row);
  while (rows.next()) {
    (rows.integer(0) != 0 ? run.models_out : run.models_in).push_back({rows.text(1), rows.integer(2)});
  }
  return rows.status();
}

struct Head {
  mlflow::WireRun run;
  std::int64_t attempt = 0;
  std::string parent;
  std::string tags;
};

Result<Head> read_head(Tx& tx, std::int64_t row) {
  Rows rows = tx.query(
      "SELECT r.id, e.id, e.name, e.artifact_location, r.display_name, r.created_by, r.status, coalesce(r.started, "
      "r.created),"
      " r.ended, r.attempt, r.parent, r.tags_json, r.deleted FROM run r JOIN experiment e ON e.id = r.experiment WHERE "
      "r.seq = ?",
      row);
  if (!rows.next()) {
    ROOST_CHECK(rows.status());
    return fail(ErrorCode::kNotFound, fmt::format("there is no run in row {}", row));
  }
  Head head;
  mlflow::WireRun& run = head.run;
  run.id = wire_run_id(rows.bytes(0), row);
  run.experiment = rows.bytes(2) == kDefaultExperiment ? std::string(kDefaultExperimentId) : rows.text(1);
  run.artifact_uri = fmt::format("{}/{}/artifacts", wire_artifact_root(run.experiment, rows.text(3)), run.id);
  run.name = rows.text(4);
  run.user = rows.text(5);
  run.status = mlflow::wire_status(status_from_name(rows.bytes(6)).value_or(RunStatus::kFailed));
  run.started = rows.integer(7);
  run.ended = rows.maybe_integer(8);
  head.attempt = rows.integer(9);
  head.parent = rows.text(10);
  head.tags = rows.text(11);
  run.deleted = !rows.is_null(12);
  return head;
}

Status take_tags(Tx& tx, const Head& head, mlflow::WireRun& run) {
  const Json tags = stored_json(head.tags);
  for (const auto& tag : tags.items()) {
    run.tags.emplace_back(tag.key(), tag.value().is_string() ? tag.value().get_ref<const std::string&>() : "");
  }
  run.tags.emplace_back("mlflow.runName", run.name);
  if (head.parent.empty() || tags.contains("mlflow.parentRunId")) return {};
  std::string parent = head.parent;
  if (!is_wire_id(parent)) {
    ROOST_TRY(const Run above, find_run(tx, parent));
    parent = wire_run_id(above.id, above.seq);
  }
  run.tags.emplace_back("mlflow.parentRunId", std::move(parent));
  return {};
}

}  // namespace

std::string wire_experiment_id(const Experiment& experiment) {
  return experiment.name == kDefaultExperiment ? std::string(kDefaultExperimentId) : std::to_string(experiment.row);
}

Result<Experiment> find_wire_experiment(Tx& tx, const std::string& workspace, std::string_view id) {
  if (id == kDefaultExperimentId) {
    auto found = find_experiment(tx, workspace, kDefaultExperiment);
    if (found || found.error().code != ErrorCode::kNotFound) return found;
    ROOST_TRY(const Workspace owner, find_workspace(tx, workspace));
    Experiment unmade;
    unmade.workspace = workspace;
    unmade.name = kDefaultExperiment;
    unmade.created = unmade.updated = owner.created;
    return unmade;
  }
  if (id.empty() || id.find_first_not_of("0123456789") != std::string_view::npos) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("Invalid experiment ID '{}': it must be a whole number", printable(id)));
  }
  const auto row = number_in(id);
  if (!row) return no_experiment(id);
  auto found = experiment_by_row(tx, workspace, *row);
  if (!found && found.error().code == ErrorCode::kNotFound) return no_experiment(id);
  return found;
}

std::string wire_run_id(std::string_view id, std::int64_t row) {
  return is_wire_id(id) ? std::string(id) : fmt::format("{}{}", kByRow, row);
}

Result<Run> find_wire_run(Tx& tx, const std::string& workspace, std::string_view id) {
  auto found = find_run(tx, id);
  if (!found && id.starts_with(kByRow)) {
    if (const auto row = number_in(id.substr(kByRow.size()))) found = run_by_row(tx, *row);
    if (found && wire_run_id(found->id, found->seq) != id) found = fail(ErrorCode::kNotFound, "");
  }
  const bool is_missing = found ? found->workspace != workspace : found.error().code == ErrorCode::kNotFound;
  if (is_missing)
    return fail(ErrorCode::kNotFound,
                fmt::format("Run with id={} not found in the workspace {}", printable(id), workspace));
  return found;
}

std::string wire_artifact_root(const std::string& experiment_id, const std::string& artifact_location) {
  return artifact_location.empty() ? "mlflow-artifacts:/" + experiment_id : artifact_location;
}

std::string wire_run_root(const Experiment& experiment, const std::string& run_id) {
  return fmt::format("{}/{}/artifacts",
                     wire_artifact_root(wire_experiment_id(experiment), experiment.artifact_location), run_id);
}

Result<mlflow::WireRun> wire_run(Tx& tx, std::int64_t row) {
  ROOST_TRY(Head head, read_head(tx, row));
  mlflow::WireRun run = std::move(head.run);
  ROOST_CHECK(read_metrics(tx, row, head.attempt, run.metrics));
  ROOST_TRY(run.params, list_params(tx, row));
  ROOST_CHECK(take_tags(tx, head, run));
  ROOST_CHECK(read_datasets(tx, row, run.datasets));
  ROOST_CHECK(read_model_uses(tx, row, run));
  return run;
}

Result<mlflow::WireRun> wire_run_info(Tx& tx, std::int64_t row) {
  ROOST_TRY(Head head, read_head(tx, row));
  return std::move(head.run);
}

Status put_dataset(Tx& tx, std::int64_t run, const mlflow::WireDataset& dataset) {
  ROOST_CHECK(
      tx.run("INSERT INTO run_dataset VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
             " tags_json = excluded.tags_json",
             run, dataset.name, dataset.digest, dataset.source_type, dataset.source, dataset.schema, dataset.profile,
             to_text(dataset.tags)));
  return {};
}

Status put_model_use(Tx& tx, std::int64_t run, bool is_output, const mlflow::WireModelUse& use) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO run_model VALUES (?, ?, ?, ?)", run, is_output, use.model, use.step));
  return {};
}

}  // namespace roost
