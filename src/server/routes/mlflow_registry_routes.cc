// Registered models: names, their aliases and tags.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "mlflow/label_names.h"
#include "mlflow/run_wire.h"
#include "server/routes/mlflow_runs.h"
#include "server/routes/mlflow_versions.h"

namespace roost {
namespace {

Result<Json> wire_model(Tx& tx, const RegisteredModel& model) {
  ROOST_TRY(const auto versions, list_wire_versions(tx, model.workspace, model.name));
  ROOST_TRY(const auto aliases, list_aliases(tx, model.workspace, model.name));
  Json wire = {{"name", model.name},
               {"creation_timestamp", mlflow::milliseconds(model.created)},
               {"last_updated_timestamp", mlflow::milliseconds(model.updated)}};
  if (!model.description.empty()) wire["description"] = model.description;
  for (const auto& version : newest_of_stages(versions, {}))
    wire["latest_versions"].push_back(wire_version_json(version));
  for (const auto& tag : model.tags.items()) wire["tags"].push_back({{"key", tag.key()}, {"value", tag.value()}});
  for (const auto& alias : aliases)
    wire["aliases"].push_back({{"alias", alias.alias}, {"version", std::to_string(alias.version)}});
  return wire;
}

Result<RegisteredModel> model_of(Tx& tx, const MlflowCall& call) {
  ROOST_TRY(const std::string name, call.fields.required_text("name"));
  return find_registered_model(tx, call.workspace, name);
}

Result<Response> create(MlflowCall& call) {
  RegisteredModel model;
  model.workspace = call.workspace;
  ROOST_TRY(model.name, call.fields.text("name"));
  ROOST_CHECK(mlflow::check_model_name(model.name));
  ROOST_TRY(const std::string description, call.fields.text("description"));
  model.description = mlflow::cut(description, 10'000);
  ROOST_TRY(model.tags, read_model_tags(call.fields));
  model.created = model.updated = call.app.clock.now();
  Json wire;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(insert_registered_model(tx, model));
    ROOST_TRY(wire, wire_model(tx, model));
    return {};
  }));
  return json_response({{"registered_model", std::move(wire)}});
}

Result<Response> get(MlflowCall& call) {
  Json wire;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const RegisteredModel model, model_of(tx, call));
    ROOST_TRY(wire, wire_model(tx, model));
    return {};
  }));
  return json_response({{"registered_model", std::move(wire)}});
}

Result<Response> change(MlflowCall& call, bool shown, const std::function<Status(Tx&, RegisteredModel&)>& work) {
  Json wire;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(RegisteredModel model, model_of(tx, call));
    ROOST_CHECK(work(tx, model));
    model.updated = call.app.clock.now();
    ROOST_CHECK(save_registered_model(tx, model));
    if (!shown) return {};
    ROOST_TRY(wire, wire_model(tx, model));
    return {};
  }));
  return shown ? json_response({{"registered_model", std::move(wire)}}) : empty_answer();
}

Result<Response> update(MlflowCall& call) {
  ROOST_TRY(const std::string description, call.fields.text("description"));
  return change(call, true, [&](Tx&, RegisteredModel& model) -> Status {
    model.description = mlflow::cut(description, 10'000);
    return {};
  });
}

Result<Response> rename(MlflowCall& call) {
  ROOST_TRY(const std::string name, call.fields.text("new_name"));
  ROOST_CHECK(mlflow::check_model_name(name));
  Json wire;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(RegisteredModel model, model_of(tx, call));
    if (model.name != name) ROOST_CHECK(rename_registered_model(tx, model, name, call.app.clock.now()));
    ROOST_TRY(model, find_registered_model(tx, call.workspace, name));
    ROOST_TRY(wire, wire_model(tx, model));
    return {};
  }));
  return json_response({{"registered_model", std::move(wire)}});
}

Result<Response> remove(MlflowCall& call) {
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const RegisteredModel model, model_of(tx, call));
    ROOST_TRY(const auto versions, list_wire_versions(tx, call.workspace, model.name));
    for (const auto& version : versions) ROOST_CHECK(delete_model(tx, version.model));
    return delete_registered_model(tx, model);
  }));
  return empty_answer();
}

Result<Response> set_tag(MlflowCall& call) {
  ROOST_TRY(const auto tag, read_model_tag(call.fields));
  return change(call, false, [&](Tx&, RegisteredModel& model) -> Status {
    model.tags[tag.first] = tag.second;
    return check_model_tags(model.tags);
  });
}

Result<Response> delete_tag(MlflowCall& call) {
  ROOST_TRY(const std::string key, call.fields.required_text("key"));
  return change(call, false, [&](Tx&, RegisteredModel& model) -> Status {
    model.tags.erase(key);
    return {};
  });
}

Result<std::string> alias_of(const MlflowCall& call) {
  ROOST_TRY(std::string alias, call.fields.required_text("alias"));
  const bool plain = std::all_of(alias.begin(), alias.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  const bool is_version =
      alias.size() > 1 && lower(alias)[0] == 'v' && alias.find_first_not_of("0123456789", 1) == alias.npos;
  if (plain && alias.size() <= 255 && !is_version && lower(alias) != "latest") return alias;
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format(
          "Invalid alias name: '{}': it has letters, digits, '_' and '-', at most 255, and is neither 'latest' nor "
          "like 'v1'",
          printable(alias)));
}

Result<Response> set_alias(MlflowCall& call) {
  ROOST_TRY(const std::string alias, alias_of(call));
  return change(call, false, [&](Tx& tx, RegisteredModel& model) -> Status {
    ROOST_TRY(const WireVersion version, find_wire_version(tx, call));
    return put_alias(tx, model, {alias, version.model.version});
  });
}

Result<Response> delete_alias(MlflowCall& call) {
  ROOST_TRY(const std::string alias, call.fields.required_text("alias"));
  return change(call, false, [&](Tx& tx, RegisteredModel& model) { return remove_alias(tx, model, alias); });
}

Result<Response> get_alias(MlflowCall& call) {
  ROOST_TRY(const std::string alias, call.fields.required_text("alias"));
  Json wire;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const RegisteredModel model, model_of(tx, call));
    ROOST_TRY(const auto aliases, list_aliases(tx, call.workspace, model.name));
    const auto found =
        std::find_if(aliases.begin(), aliases.end(), [&](const ModelAlias& a) { return a.alias == alias; });
    if (found == aliases.end()) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("Registered model alias {} not found.", printable(alias)));
    }
    ROOST_TRY(const WireVersion version, find_wire_version(tx, call.workspace, model.name, found->version));
    wire = wire_version_json(version);
    return {};
  }));
  return json_response({{"model_version", std::move(wire)}});
}

Result<Response> get_latest_versions(MlflowCall& call) {
  ROOST_TRY(const auto asked, call.fields.texts("stages"));
  std::vector<std::string> stages;
  for (const auto& text : asked) {
    ROOST_TRY(std::string stage, stage_of(text));
    stages.push_back(std::move(stage));
  }
  Json answer = Json::object();
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const RegisteredModel model, model_of(tx, call));
    ROOST_TRY(const auto versions, list_wire_versions(tx, call.workspace, model.name));
    for (const auto& version : newest_of_stages(versions, stages))
      answer["model_versions"].push_back(wire_version_json(version));
    return {};
  }));
  return json_response(answer);
}

class ModelSubject final : public mlflow::FilterSubject {
 public:
  explicit ModelSubject(const RegisteredModel& model) : model_(model) {}
  std::optional<std::string> text(const mlflow::FilterKey& key) const override {
    if (key.side == mlflow::FilterSide::kAttribute)
      return key.name == "name" ? std::optional(model_.name) : std::nullopt;
    if (!model_.tags.contains(key.name)) return std::nullopt;
    return text_at(model_.tags, key.name);
  }
  std::optional<double> number(const mlflow::FilterKey& key) const override {
    if (key.name == "creation_timestamp") return static_cast<double>(mlflow::milliseconds(model_.created));
    if (key.name == "last_updated_timestamp") return static_cast<double>(mlflow::milliseconds(model_.updated));
    return std::nullopt;
  }

 private:
  const RegisteredModel& model_;
};

Result<Response> search(MlflowCall& call) {
  ROOST_TRY(const std::string text, call.fields.text("filter"));
  ROOST_TRY(const auto filter, mlflow::parse_filter(text, mlflow::FilterOf::kModels));
  ROOST_TRY(const auto order_texts, call.fields.texts("order_by"));
  ROOST_TRY(const auto order, mlflow::parse_order(order_texts, mlflow::FilterOf::kModels));
  ROOST_TRY(const std::int64_t limit, mlflow::max_results(call.fields, 100, 1000));
  ROOST_TRY(const std::int64_t offset, mlflow::page_offset(call.fields));
  Json answer = Json::object();
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(auto models, list_registered_models(tx, call.workspace));
    std::erase_if(models, [&](const RegisteredModel& model) { return !mlflow::matches(ModelSubject(model), filter); });
    std::stable_sort(models.begin(), models.end(), [&](const RegisteredModel& a, const RegisteredModel& b) {
      return mlflow::comes_before(ModelSubject(a), ModelSubject(b), order).value_or(false);
    });
    const auto count = static_cast<std::int64_t>(models.size());
    for (std::int64_t i = offset; i < std::min(count, offset + limit); ++i) {
      ROOST_TRY(Json wire, wire_model(tx, models[static_cast<std::size_t>(i)]));
      answer["registered_models"].push_back(std::move(wire));
    }
    if (offset + limit < count) answer["next_page_token"] = mlflow::page_token(offset + limit);
    return {};
  }));
  return json_response(answer);
}

}  // namespace

Result<std::pair<std::string, std::string>> read_model_tag(const mlflow::WireFields& fields) {
  ROOST_TRY(const std::string key, fields.required_text("key"));
  ROOST_TRY(const std::string value, fields.text("value"));
  ROOST_CHECK(mlflow::check_label_name(key, "tag"));
  if (mlflow::characters(value) > mlflow::kModelTagLimit) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("the value of the tag '{}' is longer than {} characters",
                                                         printable(key), mlflow::kModelTagLimit));
  }
  return std::pair(key, value);
}

Result<Json> read_model_tags(const mlflow::WireFields& fields) {
  ROOST_TRY(const auto given, fields.objects("tags"));
  Json tags = Json::object();
  for (const auto& fields_of_tag : given) {
    ROOST_TRY(const auto tag, read_model_tag(fields_of_tag));
    tags[tag.first] = tag.second;
  }
  ROOST_CHECK(check_model_tags(tags));
  return tags;
}

Status check_model_tags(const Json& tags) {
  if (tags.size() <= kMostTags) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("a model has at most {} tags", kMostTags));
}

void add_mlflow_registry_calls(MlflowCalls& calls) {
  const std::string models = "/registered-models";
  calls.add("POST", models + "/create", "mlflow_create_registered_model", Need::kContributorOrRun, create);
  calls.add("GET", models + "/get", "mlflow_get_registered_model", Need::kReaderOrRun, get);
  calls.add("GET", models + "/search", "mlflow_search_registered_models", Need::kReaderOrRun, search);
  calls.add("POST", models + "/rename", "mlflow_rename_registered_model", Need::kContributor, rename);
  calls.add("PATCH", models + "/update", "mlflow_update_registered_model", Need::kContributorOrRun, update);
  calls.add("DELETE", models + "/delete", "mlflow_delete_registered_model", Need::kContributor, remove);
  calls.add("POST", models + "/set-tag", "mlflow_set_registered_model_tag", Need::kContributorOrRun, set_tag);
  calls.add("DELETE", models + "/delete-tag", "mlflow_delete_registered_model_tag", Need::kContributorOrRun,
            delete_tag);
  calls.add("POST", models + "/alias", "mlflow_set_model_alias", Need::kContributorOrRun, set_alias);
  calls.add("GET", models + "/alias", "mlflow_get_model_by_alias", Need::kReaderOrRun, get_alias);
  calls.add("DELETE", models + "/alias", "mlflow_delete_model_alias", Need::kContributorOrRun, delete_alias);
  calls.add("POST", models + "/get-latest-versions", "mlflow_get_latest_versions", Need::kReaderOrRun,
            get_latest_versions);
  calls.add("GET", models + "/get-latest-versions", "mlflow_get_latest_versions_by_get", Need::kReaderOrRun,
            get_latest_versions);
}

}  // namespace roost
