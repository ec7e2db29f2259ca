#include "domain/names.h"
#include "records/artifact_records.h"
#include "records/retention_records.h"
#include "server/routes/blob_bytes.h"
#include "server/routes/browser_file.h"
#include "server/routes/late_write.h"
#include "server/routes/received_file.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Json artifact_json(const Artifact& artifact) {
  return {{"path", artifact.path},
          {"size", artifact.size},
          {"digest", artifact.digest},
          {"at", format_time(artifact.at)}};
}

Result<Response> put(App& app, Request& request, const Principal& who) {
  const std::string& path = request.parameters["path"];
  ROOST_CHECK(check_artifact_path(path));
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(request_run(tx, request, who));
    return {};
  }));
  ROOST_TRY(ReceivedFile received, ReceivedFile::receive(app, *request.body_stream));
  const OutputFile file{path, received.digest(), received.size()};
  // From here on: what a collection takes is what was stored before, and nobody waits long for a hold.
  const auto hold = app.blobs->hold();
  ROOST_CHECK(received.keep(*app.blobs));
  const Micros now = app.clock.now();
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, request_run(tx, request, who));
    ROOST_CHECK(note_late_write(tx, run, who, "files", now));
    return put_artifact(tx, run.seq, file, now);
  }));
  return json_response(artifact_json({file.path, file.digest, file.size, now}), 201);
}

}  // namespace

void add_artifact_routes(Router& router, App& app) {
  const std::string artifacts = "/api/v1/runs/{run}/artifacts";
  add_operation(router, app, "GET", artifacts, "list_artifacts", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) -> Result<Response> {
                  ROOST_TRY(const auto limit, integer_query(request, "limit", 1000, 1, 1000));
                  std::vector<Artifact> all;
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_TRY(const Run run, request_run(tx, request, who));
                    ROOST_TRY(all, list_artifacts(tx, run.seq, text_query(request, "prefix"),
                                                  text_query(request, "cursor"), limit + 1));
                    return {};
                  }));
                  Json next;
                  if (all.size() > static_cast<std::size_t>(limit)) {
                    all.pop_back();
                    next = all.back().path;
                  }
                  Json items = Json::array();
                  for (const auto& artifact : all) items.push_back(artifact_json(artifact));
                  return json_response({{"items", std::move(items)}, {"next_cursor", next}});
                });
  add_operation(router, app, "GET", artifacts + "/{path...}", "get_artifact", Need::kReaderOrRun,
                [&app](Request& request, const Principal& who) -> Result<Response> {
                  Artifact found;
                  ROOST_CHECK(check_artifact_path(request.parameters["path"]));
                  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
                    ROOST_TRY(const Run run, request_run(tx, request, who));
                    auto artifact = find_artifact(tx, run, request.parameters["path"]);
                    if (!artifact) ROOST_CHECK(check_not_removed(tx, run, RunPart::kOutputs));
                    if (!artifact) return fail(artifact.error());
                    found = std::move(*artifact);
                    return {};
                  }));
                  ROOST_TRY(Response response, blob_response(*app.blobs, found.digest, request));
                  ROOST_CHECK(show_in_browser(request, found.path, response));
                  return response;
                });
  add_operation(router, app, "PUT", artifacts + "/{path...}", "put_artifact", Need::kContributorOrRun,
                [&app](Request& request, const Principal& who) { return put(app, request, who); },
                {UINT64_MAX, true});
}

}  // namespace roost
