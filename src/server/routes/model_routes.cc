#include <fmt/format.h>

#include "domain/run_spec.h"
#include "records/manifest_records.h"
#include "records/run_records.h"
#include "records/workspace_records.h"
#include "registry/models.h"
#include "server/routes/put_content.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Status take_stored_content(Tx& tx, Model& model) {
  const auto stored = find_manifest(tx, model.content);
  if (!stored) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the content {} is not on the server; upload its manifest and files first, as "
                            "`roost model register` and Model.register() do by themselves",
                            model.content));
  }
  model.files = stored->files;
  model.size = stored->size;
  return {};
}

// A run's output is registered by naming its blobs in a manifest: no byte is copied. Answers that manifest, none if the
// model has other content. To be called under a hold, which lasts until the model names it.
Result<std::optional<Manifest>> take_run_outputs(App& app, NewModel& made, const Request& request, const Principal& who) {
  Manifest manifest;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, find_run(tx, made.run));
    if (run.workspace != request.parameters.at("workspace")) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("run {} is in the workspace {}", run.id, run.workspace));
    }
    if (who.run_row) ROOST_CHECK(check_descends(tx, run, *who.run_row));
    made.model.run = run.seq;
    if (made.path.empty()) return {};
    ROOST_TRY(manifest, outputs_manifest(tx, run, made.path));
    return {};
  }));
  if (made.path.empty()) return std::nullopt;
  ROOST_TRY(made.model.content, put_content(app, manifest));
  return manifest;
}

Result<Response> register_model(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(NewModel made, parse_new_model(body));
  const auto hold = app.blobs->hold();
  std::optional<Manifest> outputs;
  if (!made.run.empty()) {
    ROOST_TRY(outputs, take_run_outputs(app, made, request, who));
  }
  Model& model = made.model;
  model.workspace = request.parameters["workspace"];
  model.created = app.clock.now();
  model.created_by = who.name;
  Json answer;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, model.workspace));
    if (outputs) ROOST_CHECK(store_manifest(tx, model.content, *outputs, model.created));
    ROOST_CHECK(take_stored_content(tx, model));
    ROOST_CHECK(insert_model(tx, model));
    ROOST_TRY(answer, model_json(tx, model));
    return {};
  }));
  return json_response(answer, 201);
}

Result<Response> list(App& app, Request& request) {
  ModelFilter filter;
  filter.workspace = request.parameters["workspace"];
  filter.name = text_query(request, "name");
  filter.tags = text_queries(request, "tag");
  filter.run = text_query(request, "run");
  filter.framework = text_query(request, "framework");
  ROOST_TRY(filter.latest, flag_query(request, "latest"));
  ROOST_TRY(filter.limit, integer_query(request, "limit", 50, 1, 1000));
  if (request.query_value("cursor")) {
    ROOST_TRY(filter.before_seq, integer_query(request, "cursor", 0, 0, INT64_MAX));
  }
  Json items = Json::array();
  Json next;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, filter.workspace));
    ROOST_TRY(const ModelPage page, list_models(tx, filter));
    for (const auto& model : page.models) {
      ROOST_TRY(Json item, model_json(tx, model));
      items.push_back(std::move(item));
    }
    if (page.next) next = std::to_string(*page.next);
    return {};
  }));
  return json_response({{"items", std::move(items)}, {"next_cursor", next}});
}

Result<Response> get(App& app, Request& request) {
  std::optional<std::int64_t> version;
  if (request.query_value("version")) {
    ROOST_TRY(version, integer_query(request, "version", 1, 1, INT64_MAX));
  }
  Json answer;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(const Model model, find_model(tx, request.parameters["workspace"],
                                            request.parameters["model"], version));
    ROOST_TRY(answer, model_json(tx, model));
    return {};
  }));
  return json_response(answer);
}

// Reads the version of the path and lets `change` work on it.
Result<Response> change(App& app, Request& request, const std::function<Status(Tx&, Model&)>& work) {
  std::int64_t version = 0;
  const std::string& text = request.parameters["version"];
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "the version of a model is a whole number");
  }
  version = std::stoll(text);
  Json answer;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(Model model,
              find_model(tx, request.parameters["workspace"], request.parameters["model"], version));
    ROOST_CHECK(work(tx, model));
    ROOST_TRY(answer, model_json(tx, model));
    return {};
  }));
  return json_response(answer);
}

Result<Response> update(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the model");
  const Json tags = fields.string_map("tags", true);
  const auto removed_tags = fields.strings("remove_tags");
  const Json properties = fields.string_map("properties");
  const bool describe = fields.has("description");
  const std::string description = fields.string("description");
  ROOST_CHECK(fields.done());
  return change(app, request, [&](Tx& tx, Model& model) -> Status {
    for (const auto& key : removed_tags) model.tags.erase(key);
    model.tags.update(tags);
    for (const auto& item : properties.items()) {
      if (model.properties.contains(item.key())) {
        return fail(ErrorCode::kFailedPrecondition,
                    fmt::format("the property \"{}\" is set already and cannot change; use a tag",
                                item.key()));
      }
    }
    model.properties.update(properties);
    if (describe) model.description = description;
    ROOST_CHECK(check_labels(model.tags, "tags"));
    ROOST_CHECK(check_labels(model.properties, "properties"));
    if (model.description.size() > 10'000) {
      return fail(ErrorCode::kInvalidArgument, "the description is longer than 10,000 bytes");
    }
    return save_model(tx, model);
  });
}

}  // namespace

Result<std::string> put_content(App& app, const Manifest& manifest) {
  ROOST_TRY(std::string digest, app.blobs->put(manifest_text(manifest)));
  ROOST_CHECK(app.blobs->sync({digest}));
  ROOST_CHECK(app.blobs->size(digest));
  for (const auto& entry : manifest.entries) {
    if (!entry.is_file()) continue;
    if (const auto there = app.blobs->size(entry.digest); !there) {
      return fail(ErrorCode::kFailedPrecondition, fmt::format("{}: {}", entry.path, there.error().message));
    }
  }
  return digest;
}

void add_model_routes(Router& router, App& app) {
  const std::string models = "/api/v1/workspaces/{workspace}/models";
  const std::string version = models + "/{model}/versions/{version}";
  add_operation(router, app, "GET", models, "list_models", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) { return list(app, request); });
  add_operation(router, app, "POST", models, "register_model", Need::kContributorOrRun,
                [&app](Request& request, const Principal& who) { return register_model(app, request, who); });
  add_operation(router, app, "GET", models + "/{model}", "get_model", Need::kReaderOrRun,
                [&app](Request& request, const Principal&) { return get(app, request); });
  add_operation(router, app, "PATCH", version, "update_model", Need::kContributorOrRun,
                [&app](Request& request, const Principal&) { return update(app, request); });
  add_operation(router, app, "DELETE", version, "delete_model", Need::kContributor,
                [&app](Request& request, const Principal&) {
                  return change(app, request, [](Tx& tx, Model& model) { return delete_model(tx, model); });
                });
}

}  // namespace roost
