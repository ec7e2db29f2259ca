#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"
#include "domain/finish_report.h"
#include "domain/manifest.h"
#include "records/artifact_records.h"

namespace roost {

// Models that MLflow's clients log, before and besides any registration: with files, parameters, tags and metrics.
struct LoggedModel {
  std::int64_t seq = 0;
  std::string id;  // "m-" and 32 hex digits
  std::string workspace;
  std::int64_t experiment = 0;  // row
  std::string name;
  std::string type;
  std::string status = "LOGGED_MODEL_PENDING";
  std::optional<std::int64_t> run;  // row of the run that made it
  Micros created = 0;
  Micros updated = 0;
  Json params = Json::object();
  Json tags = Json::object();
};

Status insert_logged_model(Tx& tx, LoggedModel& model);  // sets seq
// kNotFound for one that is not there, was deleted, or is of another workspace.
Result<LoggedModel> find_logged_model(Tx& tx, std::string_view workspace, std::string_view id);
// Its name, status, parameters, tags and time of change.
Status save_logged_model(Tx& tx, const LoggedModel& model);
// From then on it is not found. Its files stay while a version of a registered model, which names them itself, needs
// them.
Status delete_logged_model(Tx& tx, const LoggedModel& model);
// Newest first.
Result<std::vector<LoggedModel>> list_logged_models(Tx& tx, std::string_view workspace,
                                                    const std::vector<std::int64_t>& experiments);

struct LoggedModelMetric {
  std::string name;
  double value = 0;
  Micros at = 0;
  std::int64_t step = 0;
  std::int64_t run = 0;  // row of the run that logged it
  std::string dataset_name;
  std::string dataset_digest;
};
// Of each name, run and dataset the one of the greatest step and time is kept.
Status put_logged_model_metric(Tx& tx, const LoggedModel& model, const LoggedModelMetric& metric);
Result<std::vector<LoggedModelMetric>> list_logged_model_metrics(Tx& tx, const LoggedModel& model);

// Its files, like the artifacts of a run.
Status put_model_file(Tx& tx, const LoggedModel& model, const OutputFile& file, Micros now);
Status remove_model_file(Tx& tx, const LoggedModel& model, const std::string& path);
// Those below `prefix` ("" or a folder with its slash), by path.
Result<std::vector<Artifact>> list_model_files(Tx& tx, const LoggedModel& model, std::string_view prefix);
Result<Artifact> find_model_file(Tx& tx, const LoggedModel& model, std::string_view path);

}  // namespace roost
