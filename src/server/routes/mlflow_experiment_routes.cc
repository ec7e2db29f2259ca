#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "mlflow/filter.h"
#include "mlflow/label_names.h"
#include "mlflow/run_wire.h"
#include "records/bin_records.h"
#include "records/run_records.h"
#include "records/wire_run_records.h"
#include "records/workspace_records.h"
#include "server/routes/mlflow_models.h"
#include "server/routes/mlflow_runs.h"

namespace roost {
namespace {

Json wire_experiment(const Experiment& experiment) {
  const std::string id = wire_experiment_id(experiment);
  Json wire = {{"experiment_id", id},
               {"name", experiment.name},
               {"artifact_location", wire_artifact_root(id, experiment.artifact_location)},
               {"lifecycle_stage", is_in_bin(experiment) ? "deleted" : "active"},
               {"creation_time", mlflow::milliseconds(experiment.created)},
               {"last_update_time", mlflow::milliseconds(experiment.updated)}};
  for (const auto& tag : experiment.tags.items()) {
    wire["tags"].push_back({{"key", tag.key()}, {"value", tag.value().is_string() ? tag.value() : Json("")}});
  }
  return wire;
}

Result<Response> answer_experiment(const Experiment& experiment) {
  return json_response({{"experiment", wire_experiment(experiment)}});
}

Status check_location(const std::string& location) {
  if (location.empty() || (location.find("..") == location.npos && !location.starts_with("runs:") &&
                           location.size() <= 1024 && location.find_first_of("#?") == location.npos)) {
    return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("Invalid artifact location '{}': it may have no '..', '#' or '?', and be no runs:/ address",
                          printable(location)));
}

Result<Response> create(MlflowCall& call) {
  ROOST_TRY(const std::string name, call.fields.required_text("name"));
  ROOST_CHECK(mlflow::check_experiment_name(name));
  ROOST_TRY(const std::string location, call.fields.text("artifact_location"));
  ROOST_CHECK(check_location(location));
  ROOST_TRY(const auto tags, call.fields.objects("tags"));
  Json kept = Json::object();
  for (const auto& tag : tags) {
    ROOST_TRY(const std::string key, tag.text("key"));
    ROOST_TRY(const std::string value, tag.text("value"));
    ROOST_CHECK(mlflow::check_label_name(key, "tag"));
    kept[key] = mlflow::cut(value, mlflow::kExperimentTagLimit);
  }
  Experiment made;
  const Micros now = call.app.clock.now();
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, call.workspace));
    const auto known = find_experiment(tx, call.workspace, name);
    if (known || name == kDefaultExperiment) {
      return fail(ErrorCode::kAlreadyExists, fmt::format("Experiment '{}' already exists.", printable(name)));
    }
    ROOST_TRY(made, insert_experiment(tx, call.workspace, name, now));
    made.tags = kept;
    made.artifact_location = location.starts_with("mlflow-artifacts:") ? "" : location;
    return save_experiment(tx, made);
  }));
  return json_response({{"experiment_id", wire_experiment_id(made)}});
}

Result<Response> get(MlflowCall& call) {
  ROOST_TRY(const std::string id, call.fields.required_text("experiment_id"));
  Experiment found;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(found, find_wire_experiment(tx, call.workspace, id));
    return {};
  }));
  return answer_experiment(found);
}

Result<Response> get_by_name(MlflowCall& call) {
  ROOST_TRY(const std::string name, call.fields.required_text("experiment_name"));
  Experiment found;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    auto known = name == kDefaultExperiment ? find_wire_experiment(tx, call.workspace, kDefaultExperimentId)
                                            : find_experiment(tx, call.workspace, name);
    if (!known && known.error().code == ErrorCode::kNotFound) {
      return fail(ErrorCode::kNotFound, fmt::format("Could not find experiment with name '{}'", printable(name)));
    }
    ROOST_TRY(found, std::move(known));
    return {};
  }));
  return answer_experiment(found);
}

class ExperimentSubject final : public mlflow::FilterSubject {
 public:
  explicit ExperimentSubject(const Experiment& experiment) : experiment_(experiment) {}

  std::optional<std::string> text(const mlflow::FilterKey& key) const override {
    if (key.side == mlflow::FilterSide::kTag) {
      const auto tag = experiment_.tags.find(key.name);
      if (tag == experiment_.tags.end()) return std::nullopt;
      return tag->is_string() ? tag->get<std::string>() : "";
    }
    if (key.name == "name") return experiment_.name;
    if (key.name == "experiment_id") return wire_experiment_id(experiment_);
    return std::nullopt;
  }
  std::optional<double> number(const mlflow::FilterKey& key) const override {
    if (key.side != mlflow::FilterSide::kAttribute) return std::nullopt;
    if (key.name == "creation_time") return static_cast<double>(mlflow::milliseconds(experiment_.created));
    if (key.name == "last_update_time") return static_cast<double>(mlflow::milliseconds(experiment_.updated));
    return std::nullopt;
  }

 private:
  const Experiment& experiment_;
};

// The newest first, unless something else was asked for.
void put_in_order(std::vector<Experiment>& experiments, const std::vector<mlflow::OrderTerm>& order) {
  std::sort(experiments.begin(), experiments.end(), [&](const Experiment& a, const Experiment& b) {
    if (const auto before = mlflow::comes_before(ExperimentSubject(a), ExperimentSubject(b), order)) return *before;
    if (order.empty() && a.created != b.created) return a.created > b.created;
    return a.row > b.row;
  });
}

Result<Response> search(MlflowCall& call) {
  ROOST_TRY(const std::string text, call.fields.text("filter"));
  ROOST_TRY(const auto filter, mlflow::parse_filter(text, mlflow::FilterOf::kExperiments));
  ROOST_TRY(const auto order_texts, call.fields.texts("order_by"));
  ROOST_TRY(const auto order, mlflow::parse_order(order_texts, mlflow::FilterOf::kExperiments));
  ROOST_TRY(const std::int64_t limit, mlflow::max_results(call.fields, 0, 50'000));
  ROOST_TRY(const std::int64_t offset, mlflow::page_offset(call.fields));
  ROOST_TRY(const InBin bin, mlflow_view(call, "view_type"));
  std::vector<Experiment> found;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(found, list_experiments(tx, call.workspace, "", INT64_MAX, bin));
    ROOST_TRY(Experiment standard, find_wire_experiment(tx, call.workspace, kDefaultExperimentId));
    if (standard.row == 0 && bin != InBin::kOnly) found.push_back(std::move(standard));
    return {};
  }));
  std::erase_if(found,
                [&](const Experiment& experiment) { return !mlflow::matches(ExperimentSubject(experiment), filter); });
  put_in_order(found, order);
  const auto count = static_cast<std::int64_t>(found.size());
  Json answer = Json::object();
  for (std::int64_t i = offset; i < std::min(count, offset + limit); ++i) {
    answer["experiments"].push_back(wire_experiment(found[static_cast<std::size_t>(i)]));
  }
  if (offset + limit < count) answer["next_page_token"] = mlflow::page_token(offset + limit);
  return json_response(answer);
}

Result<Response> change(MlflowCall& call, const std::function<Status(Experiment&)>& work) {
  ROOST_TRY(const std::string id, call.fields.required_text("experiment_id"));
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Experiment experiment, open_wire_experiment(tx, call, id));
    ROOST_CHECK(work(experiment));
    experiment.updated = call.app.clock.now();
    return save_experiment(tx, experiment);
  }));
  return empty_answer();
}

Result<Response> update(MlflowCall& call) {
  ROOST_TRY(const std::string name, call.fields.text("new_name"));
  if (name.empty()) return empty_answer();
  ROOST_CHECK(mlflow::check_experiment_name(name));
  return change(call, [&](Experiment& experiment) -> Status {
    if (experiment.name == name) return {};
    if (experiment.name == kDefaultExperiment) {
      return fail(ErrorCode::kInvalidArgument,
                  "the experiment 0 keeps its name Default: runs go there when nothing else is said");
    }
    if (name == kDefaultExperiment) return fail(ErrorCode::kAlreadyExists, "Experiment 'Default' already exists.");
    experiment.name = name;
    return {};
  });
}

Result<Response> set_tag(MlflowCall& call) {
  ROOST_TRY(const std::string key, call.fields.required_text("key"));
  ROOST_TRY(const std::string value, call.fields.text("value"));
  ROOST_CHECK(mlflow::check_label_name(key, "tag"));
  return change(call, [&](Experiment& experiment) -> Status {
    experiment.tags[key] = mlflow::cut(value, mlflow::kExperimentTagLimit);
    if (experiment.tags.size() <= kMostTags) return {};
    return fail(ErrorCode::kInvalidArgument, fmt::format("an experiment has at most {} tags", kMostTags));
  });
}

Result<Response> delete_tag(MlflowCall& call) {
  ROOST_TRY(const std::string key, call.fields.required_text("key"));
  return change(call, [&](Experiment& experiment) -> Status {
    if (experiment.tags.erase(key) != 0) return {};
    return fail(ErrorCode::kNotFound, fmt::format("No tag with name: {} in experiment with id {}", printable(key),
                                                  wire_experiment_id(experiment)));
  });
}

// Runs that MLflow's clients have not ended are ended by it, as they are when they are deleted themselves.
Status end_open_runs(Tx& tx, const MlflowCall& call, const Experiment& experiment) {
  RunFilter filter;
  filter.workspace = call.workspace;
  filter.experiment = experiment.name;
  filter.type = std::string(kInteractiveType);
  filter.statuses = {std::string(status_name(RunStatus::kRunning))};
  filter.limit = INT64_MAX - 1;
  ROOST_TRY(RunPage open, list_runs(tx, filter));
  for (Run& run : open.runs) {
    if (is_made_by_mlflow(run)) ROOST_CHECK(move_as_told(tx, call, run, mlflow::WireStatus::kKilled, std::nullopt));
  }
  return {};
}

Result<Response> move(MlflowCall& call, bool into_bin) {
  ROOST_TRY(const std::string id, call.fields.required_text("experiment_id"));
  std::vector<std::string> changed;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Experiment experiment, find_wire_experiment(tx, call.workspace, id));
    if (is_in_bin(experiment) == into_bin) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("No {} experiment with id={} exists", into_bin ? "active" : "deleted", id));
    }
    const Micros now = call.app.clock.now();
    if (!into_bin) {
      ROOST_TRY(changed, take_experiment_out_of_bin(tx, experiment, call.who.name, now));
      return {};
    }
    ROOST_TRY(experiment, open_wire_experiment(tx, call, id));
    ROOST_CHECK(end_open_runs(tx, call, experiment));
    ROOST_TRY(changed, put_experiment_in_bin(tx, experiment, call.who.name, now));
    return {};
  }));
  for (const auto& run : changed) call.app.changes.run_changed(run);
  return empty_answer();
}

}  // namespace

Result<Experiment> open_wire_experiment(Tx& tx, const MlflowCall& call, const std::string& id) {
  ROOST_TRY(Experiment found, find_wire_experiment(tx, call.workspace, id));
  if (is_in_bin(found)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("The experiment {} must be in the 'active' state. Current state is deleted.", id));
  }
  if (found.row != 0) return found;
  return insert_experiment(tx, call.workspace, found.name, call.app.clock.now());
}

void add_mlflow_experiment_calls(MlflowCalls& calls) {
  calls.add("POST", "/experiments/create", "mlflow_create_experiment", Need::kContributorOrRun, create);
  calls.add("GET", "/experiments/get", "mlflow_get_experiment", Need::kReaderOrRun, get);
  calls.add("GET", "/experiments/get-by-name", "mlflow_get_experiment_by_name", Need::kReaderOrRun, get_by_name);
  calls.add("POST", "/experiments/search", "mlflow_search_experiments", Need::kReaderOrRun, search);
  calls.add("GET", "/experiments/search", "mlflow_search_experiments_by_get", Need::kReaderOrRun, search);
  calls.add("POST", "/experiments/update", "mlflow_update_experiment", Need::kContributor, update);
  calls.add("POST", "/experiments/set-experiment-tag", "mlflow_set_experiment_tag", Need::kContributorOrRun, set_tag);
  calls.add("POST", "/experiments/delete-experiment-tag", "mlflow_delete_experiment_tag", Need::kContributor,
            delete_tag);
  calls.add("POST", "/experiments/delete", "mlflow_delete_experiment", Need::kContributor,
            [](MlflowCall& call) { return move(call, true); });
  calls.add("POST", "/experiments/restore", "mlflow_restore_experiment", Need::kContributor,
            [](MlflowCall& call) { return move(call, false); });
}

}  // namespace roost
