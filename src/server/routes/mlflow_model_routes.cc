// Logged models: what 3.x clients log a model as, before and besides any registration.
#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "mlflow/filter.h"
#include "mlflow/label_names.h"
#include "mlflow/run_wire.h"
#include "records/bin_records.h"
#include "records/run_records.h"
#include "records/wire_run_records.h"
#include "server/routes/mlflow_models.h"
#include "server/routes/mlflow_runs.h"

namespace roost {
namespace {

constexpr std::size_t kMostParams = 10'000;
constexpr std::int64_t kMostFound = 1000;

constexpr const char* kStatuses[] = {"LOGGED_MODEL_PENDING", "LOGGED_MODEL_READY", "LOGGED_MODEL_UPLOAD_FAILED"};

Json pairs(const Json& labels) {
  Json list = Json::array();
  for (const auto& item : labels.items()) list.push_back({{"key", item.key()}, {"value", item.value()}});
  return list;
}

Result<Json> wire_model(Tx& tx, const LoggedModel& model) {
  Json info = {{"model_id", model.id},
               {"experiment_id", ""},
               {"name", model.name},
               {"creation_timestamp_ms", mlflow::milliseconds(model.created)},
               {"last_updated_timestamp_ms", mlflow::milliseconds(model.updated)},
               {"status", model.status},
               {"model_type", model.type}};
  ROOST_TRY(const std::string uri, logged_model_uri(tx, model));
  info["artifact_uri"] = uri;
  ROOST_TRY(const Experiment experiment, experiment_by_row(tx, model.workspace, model.experiment));
  info["experiment_id"] = wire_experiment_id(experiment);
  if (!model.tags.empty()) info["tags"] = pairs(model.tags);
  if (model.run) {
    ROOST_TRY(const Run run, run_by_row(tx, *model.run));
    info["source_run_id"] = wire_run_id(run.id, run.seq);
  }
  Json data = Json::object();
  if (!model.params.empty()) data["params"] = pairs(model.params);
  ROOST_TRY(const auto metrics, list_logged_model_metrics(tx, model));
  for (const auto& metric : metrics) {
    ROOST_TRY(const Run run, run_by_row(tx, metric.run));
    Json wire = {{"key", metric.name},
                 {"value", number_json(metric.value)},
                 {"timestamp", mlflow::milliseconds(metric.at)},
                 {"step", metric.step},
                 {"model_id", model.id},
                 {"run_id", wire_run_id(run.id, run.seq)}};
    if (!metric.dataset_name.empty()) wire["dataset_name"] = metric.dataset_name;
    if (!metric.dataset_digest.empty()) wire["dataset_digest"] = metric.dataset_digest;
    data["metrics"].push_back(std::move(wire));
  }
  return Json{{"info", std::move(info)}, {"data", std::move(data)}};
}

// The model of the path. A run's token may write to models of the runs that it may write to.
Result<LoggedModel> model_of(Tx& tx, const MlflowCall& call, Reach reach) {
  ROOST_TRY(LoggedModel model, find_logged_model(tx, call.workspace, call.request.parameters["model"]));
  if (reach == Reach::kRead || !call.who.run_row) return model;
  if (!model.run)
    return fail(ErrorCode::kPermissionDenied, "a run's token is good for models of that run and its children only");
  ROOST_TRY(const Run run, run_by_row(tx, *model.run));
  ROOST_CHECK(check_reach(tx, run, call.who, reach));
  return model;
}

Result<Response> answer_model(Tx& tx, const LoggedModel& model) {
  ROOST_TRY(Json wire, wire_model(tx, model));
  return json_response({{"model", std::move(wire)}});
}

Status check_name(const std::string& name) {
  if (!name.empty() && name.find_first_of("/:.%\"'") == name.npos && mlflow::characters(name) <= 256) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("Invalid model name ('{}') provided. Model name must be a non-empty string and cannot contain the "
                  "following characters: /, :, ., %, \", '",
                  printable(name)));
}

Status take_params(LoggedModel& model, const Params& params) {
  for (const auto& [key, value] : params) {
    const auto known = model.params.find(key);
    if (known != model.params.end() && *known != value) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("Changing param values is not allowed: '{}' of the model {}", printable(key), model.id));
    }
    model.params[key] = value;
  }
  if (model.params.size() <= kMostParams) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("a model has at most {} parameters", kMostParams));
}

Result<Response> create(MlflowCall& call) {
  ROOST_TRY(const std::string experiment_id, call.fields.required_text("experiment_id"));
  ROOST_TRY(const std::string source, call.fields.text("source_run_id"));
  LoggedModel model;
  ROOST_TRY(model.name, call.fields.text("name"));
  if (model.name.empty()) model.name = "model";
  ROOST_CHECK(check_name(model.name));
  ROOST_TRY(model.type, call.fields.text("model_type"));
  ROOST_TRY(const TagChanges tags, read_tags(call.fields, "tags"));
  ROOST_TRY(const Params params, read_params(call.fields, "params"));
  ROOST_CHECK(take_params(model, params));
  for (const auto& [key, value] : tags) model.tags[key] = value;
  model.id = "m-" + random_hex(16);
  model.workspace = call.workspace;
  model.created = model.updated = call.app.clock.now();
  Result<Response> answer = empty_answer();
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const Experiment experiment, open_wire_experiment(tx, call, experiment_id));
    model.experiment = experiment.row;
    if (!source.empty()) {
      ROOST_TRY(const Run run, find_wire_run(tx, call.workspace, source));
      ROOST_CHECK(check_reach(tx, run, call.who, Reach::kAdd));
      model.run = run.seq;
    } else if (call.who.run_row) {
      model.run = call.who.run_row;
    }
    ROOST_CHECK(insert_logged_model(tx, model));
    answer = answer_model(tx, model);
    return answer ? Status() : fail(answer.error());
  }));
  return answer;
}

Result<Response> get(MlflowCall& call) {
  Result<Response> answer = empty_answer();
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const LoggedModel model, model_of(tx, call, Reach::kRead));
    answer = answer_model(tx, model);
    return answer ? Status() : fail(answer.error());
  }));
  return answer;
}

// Writes to the model of the path; `shown` answers with it as it is then.
Result<Response> change(MlflowCall& call, bool shown, const std::function<Status(LoggedModel&)>& work) {
  Result<Response> answer = empty_answer();
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(LoggedModel model, model_of(tx, call, Reach::kAdd));
    ROOST_CHECK(work(model));
    model.updated = call.app.clock.now();
    ROOST_CHECK(save_logged_model(tx, model));
    if (shown) answer = answer_model(tx, model);
    return answer ? Status() : fail(answer.error());
  }));
  return answer;
}

Result<Response> finalize(MlflowCall& call) {
  std::string status;
  // By name or by number.
  const auto given = call.fields.text("status");
  if (given) {
    status = *given;
  } else {
    ROOST_TRY(const auto number, call.fields.integer("status"));
    if (number && *number >= 1 && *number <= 3) status = kStatuses[*number - 1];
  }
  if (std::find(std::begin(kStatuses), std::end(kStatuses), status) == std::end(kStatuses)) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("Invalid model status '{}'", printable(status)));
  }
  return change(call, true, [&](LoggedModel& model) -> Status {
    model.status = status;
    return {};
  });
}

Result<Response> add_params(MlflowCall& call) {
  ROOST_TRY(const Params params, read_params(call.fields, "params"));
  return change(call, false, [&](LoggedModel& model) { return take_params(model, params); });
}

Result<Response> set_tags(MlflowCall& call) {
  ROOST_TRY(const TagChanges tags, read_tags(call.fields, "tags"));
  return change(call, true, [&](LoggedModel& model) -> Status {
    for (const auto& [key, value] : tags) model.tags[key] = value;
    if (model.tags.size() <= kMostTags) return {};
    return fail(ErrorCode::kInvalidArgument, fmt::format("a model has at most {} tags", kMostTags));
  });
}

Result<Response> delete_tag(MlflowCall& call) {
  const std::string key = call.request.parameters["key"];
  return change(call, false, [&](LoggedModel& model) -> Status {
    if (model.tags.erase(key) != 0) return {};
    return fail(ErrorCode::kNotFound,
                fmt::format("No tag with key '{}' found for model with ID '{}'.", printable(key), model.id));
  });
}

Result<Response> remove(MlflowCall& call) {
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const LoggedModel model, model_of(tx, call, Reach::kChange));
    return delete_logged_model(tx, model);
  }));
  return empty_answer();
}

class ModelSubject final : public mlflow::FilterSubject {
 public:
  ModelSubject(const LoggedModel& model, const Json& wire) : model_(model), wire_(wire) {}

  std::optional<std::string> text(const mlflow::FilterKey& key) const override {
    if (key.side == mlflow::FilterSide::kTag || key.side == mlflow::FilterSide::kParam) {
      const Json& labels = key.side == mlflow::FilterSide::kTag ? model_.tags : model_.params;
      if (!labels.contains(key.name)) return std::nullopt;
      return text_at(labels, key.name);
    }
    if (key.name == "name") return model_.name;
    if (key.name == "model_id") return model_.id;
    if (key.name == "model_type") return model_.type;
    if (key.name == "status") return model_.status.substr(model_.status.starts_with("LOGGED_MODEL_") ? 13 : 0);
    if (key.name == "source_run_id") return text_at(member(wire_, "info"), "source_run_id");
    return std::nullopt;
  }
  std::optional<double> number(const mlflow::FilterKey& key) const override {
    if (key.side == mlflow::FilterSide::kMetric) {
      std::optional<double> value;
      std::int64_t at = -1;
      for (const Json& metric : array_at(member(wire_, "data"), "metrics")) {
        if (text_at(metric, "key") != key.name || integer_at(metric, "timestamp") < at) continue;
        at = integer_at(metric, "timestamp");
        value = json_number(member(metric, "value"));
      }
      return value;
    }
    if (key.name == "creation_timestamp") return static_cast<double>(mlflow::milliseconds(model_.created));
    if (key.name == "last_updated_timestamp") return static_cast<double>(mlflow::milliseconds(model_.updated));
    return std::nullopt;
  }

 private:
  const LoggedModel& model_;
  const Json& wire_;
};

Result<std::vector<mlflow::OrderTerm>> order_of(const MlflowCall& call) {
  ROOST_TRY(const auto fields, call.fields.objects("order_by"));
  std::vector<std::string> texts;
  for (const auto& field : fields) {
    ROOST_TRY(const std::string name, field.required_text("field_name"));
    ROOST_TRY(const bool ascending, field.flag("ascending"));
    texts.push_back(name + (ascending || !field.has("ascending") ? " ASC" : " DESC"));
  }
  return mlflow::parse_order(texts, mlflow::FilterOf::kLoggedModels);
}

struct FoundModel {
  LoggedModel model;
  Json wire;
};

Result<Response> search(MlflowCall& call) {
  ROOST_TRY(const auto experiments, call.fields.texts("experiment_ids"));
  ROOST_TRY(const std::string text, call.fields.text("filter"));
  ROOST_TRY(const auto filter, mlflow::parse_filter(text, mlflow::FilterOf::kLoggedModels));
  ROOST_TRY(const auto order, order_of(call));
  ROOST_TRY(const std::int64_t limit, mlflow::max_results(call.fields, 100, kMostFound));
  ROOST_TRY(const std::int64_t offset, mlflow::page_offset(call.fields));
  std::vector<FoundModel> found;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    std::vector<std::int64_t> rows;
    for (const auto& id : experiments) {
      if (const auto experiment = find_wire_experiment(tx, call.workspace, id)) rows.push_back(experiment->row);
    }
    ROOST_TRY(auto models, list_logged_models(tx, call.workspace, rows));
    for (auto& model : models) {
      ROOST_TRY(Json wire, wire_model(tx, model));
      if (mlflow::matches(ModelSubject(model, wire), filter)) found.push_back({std::move(model), std::move(wire)});
    }
    return {};
  }));
  std::stable_sort(found.begin(), found.end(), [&](const FoundModel& a, const FoundModel& b) {
    return mlflow::comes_before(ModelSubject(a.model, a.wire), ModelSubject(b.model, b.wire), order).value_or(false);
  });
  const auto count = static_cast<std::int64_t>(found.size());
  Json answer = Json::object();
  for (std::int64_t i = offset; i < std::min(count, offset + limit); ++i)
    answer["models"].push_back(std::move(found[static_cast<std::size_t>(i)].wire));
  if (offset + limit < count) answer["next_page_token"] = mlflow::page_token(offset + limit);
  return json_response(answer);
}

Result<Response> list_files(MlflowCall& call) {
  ROOST_TRY(std::string folder, call.fields.text("artifact_directory_path"));
  while (folder.ends_with('/')) folder.pop_back();
  const std::string prefix = folder.empty() ? "" : folder + "/";
  Json files = Json::array();
  std::string root;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const LoggedModel model, model_of(tx, call, Reach::kRead));
    ROOST_TRY(root, logged_model_uri(tx, model));
    ROOST_TRY(const auto all, list_model_files(tx, model, prefix));
    std::string last_folder;
    for (const auto& file : all) {
      const std::string rest = file.path.substr(prefix.size());
      const auto slash = rest.find('/');
      if (slash == rest.npos) {
        files.push_back({{"path", file.path}, {"is_dir", false}, {"file_size", file.size}});
      } else if (rest.substr(0, slash) != last_folder) {
        last_folder = rest.substr(0, slash);
        files.push_back({{"path", prefix + last_folder}, {"is_dir", true}});
      }
    }
    return {};
  }));
  Json answer = {{"root_uri", root}};
  if (!files.empty()) answer["files"] = std::move(files);
  return json_response(answer);
}

Result<mlflow::WireDataset> read_dataset(const mlflow::WireFields& fields) {
  ROOST_TRY(const mlflow::WireFields inner, fields.object("dataset"));
  mlflow::WireDataset dataset;
  ROOST_TRY(dataset.name, inner.required_text("name"));
  ROOST_TRY(dataset.digest, inner.required_text("digest"));
  ROOST_TRY(dataset.source_type, inner.required_text("source_type"));
  ROOST_TRY(dataset.source, inner.required_text("source"));
  ROOST_TRY(dataset.schema, inner.text("schema"));
  ROOST_TRY(dataset.profile, inner.text("profile"));
  ROOST_TRY(const auto tags, fields.objects("tags"));
  for (const auto& tag : tags) {
    ROOST_TRY(const std::string key, tag.required_text("key"));
    ROOST_TRY(const std::string value, tag.text("value"));
    if (mlflow::characters(key) > 255 || mlflow::characters(value) > 500) {
      return fail(ErrorCode::kInvalidArgument,
                  "the tag of an input has a key of at most 255 and a value of at most 500 characters");
    }
    dataset.tags[key] = value;
  }
  if (mlflow::characters(dataset.name) > 500 || mlflow::characters(dataset.digest) > 36 ||
      dataset.source.size() > 65'535 || dataset.schema.size() > (1 << 20) || dataset.profile.size() > (16 << 20)) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "the dataset '{}' is too large: its name has at most 500 characters, its digest 36, its source 64 KB, "
            "its schema 1 MB, its profile 16 MB",
            printable(dataset.name)));
  }
  return dataset;
}

// What a run started from or made.
Result<Response> note_uses(MlflowCall& call, const std::vector<mlflow::WireDataset>& datasets, bool is_output) {
  ROOST_TRY(const auto models, call.fields.objects("models"));
  std::vector<mlflow::WireModelUse> uses;
  for (const auto& model : models) {
    mlflow::WireModelUse use;
    ROOST_TRY(use.model, model.required_text("model_id"));
    if (use.model.size() > 256) return fail(ErrorCode::kInvalidArgument, "the id of a model has at most 256 bytes");
    ROOST_TRY(const auto step, model.integer("step"));
    use.step = step.value_or(0);
    uses.push_back(std::move(use));
  }
  std::string id;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, mlflow_run(tx, call, Reach::kAdd));
    id = run.id;
    ROOST_CHECK(check_labels_run(tx, call, run, "inputs or outputs were noted"));
    for (const auto& dataset : datasets) ROOST_CHECK(put_dataset(tx, run.seq, dataset));
    for (const auto& use : uses) ROOST_CHECK(put_model_use(tx, run.seq, is_output, use));
    return {};
  }));
  call.app.changes.run_changed(id);
  return empty_answer();
}

Result<Response> log_inputs(MlflowCall& call) {
  ROOST_TRY(const auto given, call.fields.objects("datasets"));
  std::vector<mlflow::WireDataset> datasets;
  for (const auto& fields : given) {
    ROOST_TRY(mlflow::WireDataset dataset, read_dataset(fields));
    datasets.push_back(std::move(dataset));
  }
  return note_uses(call, datasets, false);
}

// 2.x clients keep what models a run logged in a tag.
Result<Response> log_model(MlflowCall& call) {
  constexpr const char* kHistory = "mlflow.log-model.history";
  ROOST_TRY(const std::string text, call.fields.required_text("model_json"));
  const auto model = parse_json(text, "model_json");
  if (!model || !model->is_object() || !model->contains("artifact_path") || !model->contains("run_id")) {
    return fail(ErrorCode::kInvalidArgument,
                "Malformed model info. 'model_json' must be a JSON object with artifact_path and run_id");
  }
  std::string id;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Run run, mlflow_run(tx, call, Reach::kAdd));
    id = run.id;
    ROOST_CHECK(check_labels_run(tx, call, run, "a model was logged"));
    Json history = stored_json(text_at(run.tags, kHistory));
    if (!history.is_array()) history = Json::array();
    history.push_back(*model);
    const std::string kept = to_text(history);
    if (kept.size() > (1 << 20))
      return fail(ErrorCode::kInvalidArgument, "the history of this run's models is over 1 MB");
    return put_tags(tx, run, {{kHistory, kept}});
  }));
  call.app.changes.run_changed(id);
  return empty_answer();
}

}  // namespace

Result<std::string> logged_model_uri(Tx& tx, const LoggedModel& model) {
  ROOST_TRY(const Experiment experiment, experiment_by_row(tx, model.workspace, model.experiment));
  return fmt::format("{}/models/{}/artifacts",
                     wire_artifact_root(wire_experiment_id(experiment), experiment.artifact_location), model.id);
}

void add_mlflow_model_calls(MlflowCalls& calls) {
  const std::string one = "/logged-models/{model}";
  calls.add("POST", "/logged-models", "mlflow_create_logged_model", Need::kContributorOrRun, create);
  calls.add("POST", "/logged-models/search", "mlflow_search_logged_models", Need::kReaderOrRun, search);
  calls.add("GET", one, "mlflow_get_logged_model", Need::kReaderOrRun, get);
  calls.add("PATCH", one, "mlflow_finalize_logged_model", Need::kContributorOrRun, finalize);
  calls.add("DELETE", one, "mlflow_delete_logged_model", Need::kContributorOrRun, remove);
  calls.add("POST", one + "/params", "mlflow_log_logged_model_params", Need::kContributorOrRun, add_params);
  calls.add("PATCH", one + "/tags", "mlflow_set_logged_model_tags", Need::kContributorOrRun, set_tags);
  calls.add("DELETE", one + "/tags/{key...}", "mlflow_delete_logged_model_tag", Need::kContributorOrRun, delete_tag);
  calls.add("GET", one + "/artifacts/directories", "mlflow_list_logged_model_files", Need::kReaderOrRun, list_files);
  calls.add("POST", "/runs/log-inputs", "mlflow_log_inputs", Need::kContributorOrRun, log_inputs);
  calls.add("POST", "/runs/outputs", "mlflow_log_outputs", Need::kContributorOrRun,
            [](MlflowCall& call) { return note_uses(call, {}, true); });
  calls.add("POST", "/runs/log-model", "mlflow_log_model", Need::kContributorOrRun, log_model);
}

}  // namespace roost
