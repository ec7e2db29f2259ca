#include <algorithm>

#include "domain/manifest.h"
#include "records/disk_records.h"
#include "records/workspace_records.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Json use_json(const DiskUse& use) {
  return {{"runs", use.runs},     {"files", use.files}, {"outputs", use.outputs}, {"shared", use.shared},
          {"logs", use.logs},     {"metrics", use.metrics}, {"freed", use.freed()}};
}

// What models and data stores hold stays, whichever run is deleted.
Result<std::unordered_set<std::string>> held_files(App& app) {
  std::unordered_set<std::string> held;
  std::vector<std::string> models;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(held, datastore_digests(tx));
    ROOST_TRY(models, model_contents(tx));
    return {};
  }));
  for (const auto& content : models) {
    const auto text = app.blobs->read(content);
    const auto manifest = text ? parse_manifest(*text) : Result<Manifest>(fail(text.error()));
    if (!manifest) continue;  // gc tells of it
    for (const auto& entry : manifest->entries) {
      if (entry.is_file()) held.insert(entry.digest);
    }
  }
  return held;
}

Json largest(std::vector<DiskUseOf> all, const char* name, std::int64_t limit) {
  std::sort(all.begin(), all.end(), [](const DiskUseOf& a, const DiskUseOf& b) { return a.use.freed() > b.use.freed(); });
  if (static_cast<std::int64_t>(all.size()) > limit) all.resize(static_cast<std::size_t>(limit));
  Json items = Json::array();
  for (const auto& one : all) {
    Json item = use_json(one.use);
    item[name] = one.name;
    if (name == std::string_view("run")) item["experiment"] = one.experiment;
    items.push_back(std::move(item));
  }
  return items;
}

Result<Response> get(App& app, Request& request) {
  const std::string workspace = request.parameters["workspace"];
  const std::string experiment = text_query(request, "experiment");
  ROOST_TRY(const auto limit, integer_query(request, "limit", 20, 0, 1000));
  ROOST_TRY(const auto held, held_files(app));
  DiskUses uses;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    if (!experiment.empty()) ROOST_CHECK(find_experiment(tx, workspace, experiment));
    ROOST_TRY(uses, disk_uses(tx, workspace, held));
    return {};
  }));
  std::unordered_map<std::string, DiskUse*> experiments;
  for (auto& one : uses.experiments) experiments[one.name] = &one.use;
  for (auto& one : uses.runs) {
    one.use.logs = static_cast<std::int64_t>(app.logs->size_of_run(one.name));
    experiments[one.experiment]->logs += one.use.logs;
    uses.workspace.logs += one.use.logs;
  }
  if (!experiment.empty()) std::erase_if(uses.runs, [&](const DiskUseOf& one) { return one.experiment != experiment; });
  const auto space = disk_space(app.config.data);
  return json_response({{"workspace", use_json(uses.workspace)},
                        {"experiments", largest(std::move(uses.experiments), "experiment", INT64_MAX)},
                        {"runs", largest(std::move(uses.runs), "run", limit)},
                        {"disk_total", space ? space->total : 0},
                        {"disk_free", space ? space->free : 0}});
}

}  // namespace

void add_disk_routes(Router& router, App& app) {
  add_operation(router, app, "GET", "/api/v1/workspaces/{workspace}/disk", "get_disk_use", Need::kReader,
                [&app](Request& request, const Principal&) { return get(app, request); });
}

}  // namespace roost
