#include <fmt/format.h>

#include "base/text.h"
#include "records/workspace_records.h"
#include "registry/datasets.h"
#include "registry/datastores.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

using Work = std::function<Status(Tx&, const Datastore&)>;

// `work` on the datastore of the path, in a transaction that may write if `write`.
Status with_datastore(App& app, Request& request, bool write, const Work& work) {
  const auto in_transaction = [&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(const Datastore store, find_datastore(tx, request.parameters["workspace"],
                                                    request.parameters["datastore"]));
    return work(tx, store);
  };
  return write ? app.db->write(in_transaction) : app.db->read(in_transaction);
}

Result<Response> list_stores(App& app, Request& request) {
  Json items = Json::array();
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(const auto all, list_datastores(tx, request.parameters["workspace"]));
    for (const auto& store : all) items.push_back(datastore_json(store));
    return {};
  }));
  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
}

Result<Response> register_store(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(Datastore store, parse_datastore(body));
  store.workspace = request.parameters["workspace"];
  store.created = app.clock.now();
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, store.workspace));
    return put_datastore(tx, store);
  }));
  return json_response(datastore_json(store), 201);
}

Result<Response> get_store(App& app, Request& request) {
  Json answer;
  ROOST_CHECK(with_datastore(app, request, false, [&](Tx&, const Datastore& store) -> Status {
    answer = datastore_json(store);
    return {};
  }));
  return json_response(answer);
}

Result<Response> drop_store(App& app, Request& request) {
  Json answer;
  ROOST_CHECK(with_datastore(app, request, true, [&](Tx& tx, const Datastore& store) -> Status {
    answer = datastore_json(store);
    return delete_datastore(tx, store);
  }));
  return json_response(answer);
}

Result<Response> list_files(App& app, Request& request) {
  ROOST_TRY(const auto limit, integer_query(request, "limit", 1000, 1, 1000));
  std::vector<DataFile> files;
  ROOST_CHECK(with_datastore(app, request, false, [&](Tx& tx, const Datastore& store) -> Status {
    ROOST_TRY(files, list_data_files(tx, store, text_query(request, "prefix"),
                                     text_query(request, "cursor"), limit + 1));
    return {};
  }));
  Json next;
  if (files.size() > static_cast<std::size_t>(limit)) {
    files.pop_back();
    next = files.back().path;
  }
  Json items = Json::array();
  for (const auto& file : files) items.push_back(data_file_json(file));
  return json_response({{"items", std::move(items)}, {"next_cursor", next}});
}

// The blobs were uploaded before; they must be on disk before a path names them.
Result<Response> add_files(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(NewFiles made, parse_new_files(body));
  std::vector<std::string> named;
  for (const auto& file : made.files) named.push_back(file.digest);
  ROOST_CHECK(app.blobs->sync(named));
  const auto hold = app.blobs->hold();
  for (const auto& file : made.files) {
    const auto size = app.blobs->size(file.digest);
    if (size && *size == static_cast<std::uint64_t>(file.size)) continue;
    if (size) app.blobs->verify(file.digest);  // if it is damaged, it is missing from now on
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the bytes of {} ({}) are not on the server; upload them first, as "
                            "Datastore.upload() does by itself",
                            printable(file.path), file.digest));
  }
  std::int64_t added = 0;
  std::int64_t skipped = 0;
  ROOST_CHECK(with_datastore(app, request, true, [&](Tx& tx, const Datastore& store) -> Status {
    added = skipped = 0;
    for (auto& file : made.files) {
      file.at = app.clock.now();
      ROOST_TRY(const bool stored, put_data_file(tx, store, file, made.overwrite));
      ++(stored ? added : skipped);
    }
    return {};
  }));
  return json_response({{"added", added}, {"skipped", skipped}});
}

Result<Response> drop_files(App& app, Request& request) {
  const std::string prefix = text_query(request, "prefix");
  if (prefix.empty()) {
    return fail(ErrorCode::kInvalidArgument, "\"prefix\" must name the file or folder to remove");
  }
  std::int64_t removed = 0;
  ROOST_CHECK(with_datastore(app, request, true, [&](Tx& tx, const Datastore& store) -> Status {
    ROOST_TRY(removed, delete_data_files(tx, store, prefix));
    return {};
  }));
  return json_response({{"removed", removed}});
}

Result<Response> list_sets(App& app, Request& request) {
  Json items = Json::array();
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(const auto all,
              list_datasets(tx, request.parameters["workspace"], text_query(request, "name")));
    for (const auto& dataset : all) items.push_back(dataset_json(dataset));
    return {};
  }));
  return json_response({{"items", std::move(items)}, {"next_cursor", nullptr}});
}

Result<Response> register_set(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(const NewDataset asked, parse_new_dataset(body));
  NewDataset made;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    made = asked;
    made.dataset.workspace = request.parameters["workspace"];
    ROOST_CHECK(find_workspace(tx, made.dataset.workspace));
    return register_dataset(tx, made, app.clock.now());
  }));
  return json_response(dataset_json(made.dataset), 201);
}

Result<Response> one_set(App& app, Request& request, bool drop) {
  std::optional<std::int64_t> version;
  if (request.query_value("version")) {
    ROOST_TRY(version, integer_query(request, "version", 1, 1, INT64_MAX));
  }
  Json answer;
  const auto work = [&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(const Dataset dataset, find_dataset(tx, request.parameters["workspace"],
                                                  request.parameters["dataset"], version));
    answer = dataset_json(dataset);
    return drop ? delete_dataset(tx, dataset) : Status();
  };
  ROOST_CHECK(drop ? app.db->write(work) : app.db->read(work));
  return json_response(answer);
}

}  // namespace

void add_data_routes(Router& router, App& app) {
  const std::string stores = "/api/v1/workspaces/{workspace}/datastores";
  const std::string files = stores + "/{datastore}/files";
  const std::string sets = "/api/v1/workspaces/{workspace}/datasets";
  const auto add = [&](const char* method, const std::string& pattern, const char* operation, Need need,
                       Result<Response> (*handler)(App&, Request&), BodyRule body = {}) {
    add_operation(router, app, method, pattern, operation, need,
                  [&app, handler](Request& request, const Principal&) { return handler(app, request); },
                  body);
  };
  add("GET", stores, "list_datastores", Need::kReaderOrRun, list_stores);
  add("POST", stores, "register_datastore", Need::kContributorOrRun, register_store);
  add("GET", stores + "/{datastore}", "get_datastore", Need::kReaderOrRun, get_store);
  add("DELETE", stores + "/{datastore}", "delete_datastore", Need::kContributor, drop_store);
  add("GET", files, "list_datastore_files", Need::kReaderOrRun, list_files);
  add("POST", files, "add_datastore_files", Need::kContributorOrRun, add_files, {64 << 20, false});
  add("DELETE", files, "delete_datastore_files", Need::kContributor, drop_files);
  add("GET", sets, "list_datasets", Need::kReaderOrRun, list_sets);
  add("POST", sets, "register_dataset", Need::kContributorOrRun, register_set, {8 << 20, false});
  add("GET", sets + "/{dataset}", "get_dataset", Need::kReaderOrRun,
      [](App& a, Request& request) { return one_set(a, request, false); });
  add("DELETE", sets + "/{dataset}", "delete_dataset", Need::kContributor,
      [](App& a, Request& request) { return one_set(a, request, true); });
}

}  // namespace roost
