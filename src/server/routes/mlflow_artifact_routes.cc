#include <algorithm>

#include <fmt/format.h>

#include "base/activity.h"
#include "base/text.h"
#include "domain/manifest.h"
#include "mlflow/artifact_place.h"
#include "records/artifact_records.h"
#include "records/bin_records.h"
#include "records/logged_model_records.h"
#include "records/run_records.h"
#include "records/wire_run_records.h"
#include "registry/models.h"
#include "server/routes/blob_bytes.h"
#include "server/routes/browser_file.h"
#include "server/routes/late_write.h"
#include "server/routes/mlflow_calls.h"
#include "server/routes/mlflow_models.h"
#include "server/routes/mlflow_runs.h"
#include "server/routes/received_file.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

using mlflow::ArtifactPlace;
using Owner = ArtifactPlace::Owner;

// A request about files, once its caller is known.
struct FileCall {
  App& app;
  Request& request;
  const Principal& who;
  std::string workspace;
  ArtifactPlace place;
};

// Whose files a place has: one of the two is there, or for the version of a registered model its content.
struct FileOwner {
  std::optional<Run> run;
  std::optional<LoggedModel> model;
  std::vector<Artifact> content;
};

tl::unexpected<Error> no_such_file(const FileCall& call) {
  return fail(ErrorCode::kNotFound, fmt::format("No such artifact: '{}'", printable(call.place.path)));
}

Result<std::vector<Artifact>> version_content(Tx& tx, const FileCall& call) {
  ROOST_TRY(const Model model, find_model(tx, call.workspace, call.place.name, call.place.version));
  ROOST_TRY(const std::string text, call.app.blobs->read(model.content));
  ROOST_TRY(const Manifest manifest, parse_manifest(text));
  std::vector<Artifact> files;
  for (const auto& entry : manifest.entries) {
    if (entry.is_file()) files.push_back({entry.path, entry.digest, entry.size, model.created});
  }
  return files;
}

// What a run's token may do to a logged model it may do to the run that made it.
Status check_model_reach(Tx& tx, const FileCall& call, const LoggedModel& model, Reach reach) {
  if (!call.who.run_row) return {};
  if (!model.run) return fail(ErrorCode::kPermissionDenied, "a run's token is good for the models of that run and its children only");
  ROOST_TRY(const Run run, run_by_row(tx, *model.run));
  return check_reach(tx, run, call.who, reach);
}

Status check_not_in_bin(const Run& run, Reach reach) {
  if (reach == Reach::kRead || !is_in_bin(run)) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("The run {} must be in the 'active' state. Current state is deleted.", run.id));
}

Result<FileOwner> find_owner(Tx& tx, const FileCall& call, Reach reach) {
  FileOwner owner;
  switch (call.place.owner) {
    case Owner::kNobody:
      if (reach == Reach::kRead) return owner;
      return fail(ErrorCode::kInvalidArgument,
                  "files are kept for runs and logged models: EXPERIMENT/RUN/artifacts/... or EXPERIMENT/models/ID/artifacts/...");
    case Owner::kRun: {
      ROOST_TRY(owner.run, find_wire_run(tx, call.workspace, call.place.name));
      ROOST_CHECK(check_reach(tx, *owner.run, call.who, reach));
      ROOST_CHECK(check_not_in_bin(*owner.run, reach));
      return owner;
    }
    case Owner::kModel: {
      ROOST_TRY(owner.model, find_logged_model(tx, call.workspace, call.place.name));
      ROOST_CHECK(check_model_reach(tx, call, *owner.model, reach));
      return owner;
    }
    case Owner::kVersion: {
      if (reach != Reach::kRead) return fail(ErrorCode::kInvalidArgument, "the files of a registered model's version never change");
      ROOST_TRY(owner.content, version_content(tx, call));
      return owner;
    }
  }
  return owner;
}

std::string below(const std::string& folder) { return folder.empty() ? "" : folder + "/"; }

std::vector<FolderEntry> entries_in(const std::vector<Artifact>& files, const std::string& folder) {
  const std::string prefix = below(folder);
  std::vector<FolderEntry> entries;
  for (const auto& file : files) {
    if (!file.path.starts_with(prefix)) continue;
    const std::string rest = file.path.substr(prefix.size());
    const std::size_t slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    if (!entries.empty() && entries.back().name == name) continue;
    const bool is_folder = slash != std::string::npos;
    entries.push_back({name, is_folder, is_folder ? 0 : file.size});
  }
  return entries;
}

Result<std::vector<FolderEntry>> entries_of(Tx& tx, const FileOwner& owner, const std::string& folder) {
  if (owner.run) return list_folder(tx, owner.run->seq, folder);
  if (!owner.model) return entries_in(owner.content, folder);
  ROOST_TRY(const auto files, list_model_files(tx, *owner.model, below(folder)));
  return entries_in(files, folder);
}

Result<bool> has_folder(Tx& tx, const FileOwner& owner, const std::string& path) {
  if (path.empty()) return true;
  if (owner.run) return is_folder(tx, owner.run->seq, path);
  ROOST_TRY(const auto entries, entries_of(tx, owner, path));
  return !entries.empty();
}

Result<Artifact> find_file(Tx& tx, const FileOwner& owner, const std::string& path) {
  if (owner.run) return find_artifact(tx, *owner.run, path);
  if (owner.model) return find_model_file(tx, *owner.model, path);
  for (const auto& file : owner.content) {
    if (file.path == path) return file;
  }
  return fail(ErrorCode::kNotFound, "");
}

// `prefix` comes before each name.
Json entries_json(const std::vector<FolderEntry>& entries, const std::string& prefix) {
  Json files = Json::array();
  for (const auto& entry : entries) {
    Json file = {{"path", prefix + entry.name}, {"is_dir", entry.is_folder}};
    if (!entry.is_folder && entry.size > 0) file["file_size"] = entry.size;
    files.push_back(std::move(file));
  }
  return files;
}

Result<Json> list_json(FileCall& call, const std::string& prefix) {
  Json answer = Json::object();
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const FileOwner owner, find_owner(tx, call, Reach::kRead));
    if (call.place.owner == Owner::kNobody) return {};
    ROOST_TRY(const auto entries, entries_of(tx, owner, call.place.path));
    if (!entries.empty()) answer["files"] = entries_json(entries, prefix);
    return {};
  }));
  return answer;
}

Result<Response> list_files(FileCall& call) {
  ROOST_TRY(const Json answer, list_json(call, ""));
  return json_response(answer);
}

Result<Response> get_file(FileCall& call) {
  Artifact found;
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const FileOwner owner, find_owner(tx, call, Reach::kRead));
    auto file = find_file(tx, owner, call.place.path);
    if (!file && file.error().code == ErrorCode::kNotFound) {
      ROOST_TRY(const bool is_folder, has_folder(tx, owner, call.place.path));
      if (!is_folder || call.place.owner == Owner::kNobody) return no_such_file(call);
      return fail(ErrorCode::kInvalidArgument, fmt::format("'{}' is a folder", printable(call.place.path)));
    }
    ROOST_TRY(found, file);
    return {};
  }));
  ROOST_TRY(Response response, blob_response(*call.app.blobs, found.digest, call.request));
  response.headers["Content-Disposition"] = attachment(file_name(found.path));
  return response;
}

// No file where a folder is, and the other way round: nobody could download both.
Status check_room(Tx& tx, const FileOwner& owner, const std::string& path) {
  ROOST_TRY(const bool is_folder, has_folder(tx, owner, path));
  if (is_folder) return fail(ErrorCode::kInvalidArgument, fmt::format("'{}' is a folder", printable(path)));
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const auto above = find_file(tx, owner, path.substr(0, slash));
    if (above) return fail(ErrorCode::kInvalidArgument, fmt::format("'{}' is a file and no folder", printable(path.substr(0, slash))));
    if (above.error().code != ErrorCode::kNotFound) return fail(above.error());
  }
  return {};
}

Status note_files(Tx& tx, const FileCall& call, const FileOwner& owner, Micros now) {
  if (!owner.run || is_made_by_mlflow(*owner.run)) return {};
  return note_late_write(tx, *owner.run, call.who, "files", now);
}

// Before the body is read, and once more when it is there.
Status check_put(Tx& tx, const FileCall& call) {
  ROOST_TRY(const FileOwner owner, find_owner(tx, call, Reach::kAdd));
  return check_room(tx, owner, call.place.path);
}

Result<Response> put_file(FileCall& call) {
  App& app = call.app;
  ROOST_TRY(ReceivedFile received, ReceivedFile::receive(app, *call.request.body_stream));
  const OutputFile file{call.place.path, received.digest(), received.size()};
  const auto hold = app.blobs->hold();
  ROOST_CHECK(received.keep(*app.blobs));
  const Micros now = app.clock.now();
  std::string run;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(check_put(tx, call));
    ROOST_TRY(const FileOwner owner, find_owner(tx, call, Reach::kAdd));
    ROOST_CHECK(note_files(tx, call, owner, now));
    if (owner.model) return put_model_file(tx, *owner.model, file, now);
    run = owner.run->id;
    return put_artifact(tx, owner.run->seq, file, now);
  }));
  if (!run.empty()) app.changes.run_changed(run);
  return Response{};
}

// What a run that was handed in has left is final; as long as it goes on it may take back what it keeps.
Status check_delete(const Run& run) {
  if (is_made_by_mlflow(run) || !is_terminal(run.status)) return {};
  return fail(ErrorCode::kPermissionDenied, fmt::format("run {} has ended: its files stay", run.id));
}

Result<Response> delete_files(FileCall& call) {
  if (call.place.path.empty()) return fail(ErrorCode::kInvalidArgument, "name a file or folder of the run; the run goes with runs/delete");
  std::string run;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const FileOwner owner, find_owner(tx, call, Reach::kAdd));
    if (owner.run) {
      ROOST_CHECK(check_delete(*owner.run));
      run = owner.run->id;
      return remove_artifacts(tx, owner.run->seq, call.place.path);
    }
    ROOST_TRY(const auto files, list_model_files(tx, *owner.model, below(call.place.path)));
    for (const auto& file : files) ROOST_CHECK(remove_model_file(tx, *owner.model, file.path));
    return remove_model_file(tx, *owner.model, call.place.path);
  }));
  if (!run.empty()) call.app.changes.run_changed(run);
  return json_response(Json::object());
}

Result<Response> no_parts(FileCall&) {
  return fail(ErrorCode::kUnimplemented,
              "Multipart upload is not supported for the current artifact repository: one PUT takes files of any size");
}

using FileHandler = Result<Response> (*)(FileCall&);

// The call, if its caller may make it at all. `path` in the query of a list, in the address of the others.
Result<FileCall> call_of(App& app, Request& request, Need need, Principal& who) {
  ROOST_TRY(who, admit(app, need, request));
  ROOST_TRY(std::string workspace, mlflow_workspace(app, request, who));
  const auto named = request.parameters.find("path");
  ROOST_TRY(ArtifactPlace place,
            mlflow::parse_artifact_place(named == request.parameters.end() ? text_query(request, "path") : named->second));
  return FileCall{app, request, who, std::move(workspace), std::move(place)};
}

void add(Router& router, App& app, const char* method, const std::string& pattern, const char* operation, Need need,
         FileHandler handler, Status (*check)(Tx&, const FileCall&) = nullptr) {
  Route route;
  route.method = method;
  route.pattern = pattern;
  route.operation = operation;
  route.need = need_name(need);
  if (check) route.body = {UINT64_MAX, true};
  route.check_head = [&app, need, check](Request& request) -> std::optional<Response> {
    Principal who;
    auto call = call_of(app, request, need, who);
    Status may = call ? Status() : Status(fail(call.error()));
    if (may && check) may = app.db->read([&](Tx& tx) { return check(tx, *call); });
    return may ? std::nullopt : std::optional(mlflow_error(request, may.error()));
  };
  route.handler = [&app, need, operation, handler](Request& request) -> Response {
    const Activity activity(fmt::format("{} (request {})", operation, request.id));
    Principal who;
    auto call = call_of(app, request, need, who);
    auto answer = call ? handler(*call) : Result<Response>(fail(call.error()));
    if (!answer) return mlflow_error(request, answer.error());
    answer->headers.emplace("X-Content-Type-Options", "nosniff");
    answer->headers.emplace("Cache-Control", "no-store");
    return std::move(*answer);
  };
  router.add(std::move(route));
}

// The same for pages and the tracking API, which name a run and a path below it.
Result<FileCall> run_call(App& app, Request& request, const Principal& who, std::string workspace, std::string run, std::string path) {
  ROOST_CHECK(mlflow::check_artifact_name(path));
  return FileCall{app, request, who, std::move(workspace), ArtifactPlace{Owner::kRun, std::move(run), 0, std::move(path)}};
}

Result<Response> list_artifacts_call(MlflowCall& call) {
  ROOST_TRY(std::string id, call.fields.run_id());
  ROOST_TRY(std::string path, call.fields.text("path"));
  ROOST_TRY(FileCall files, run_call(call.app, call.request, call.who, call.workspace, std::move(id), std::move(path)));
  ROOST_TRY(Json answer, list_json(files, below(files.place.path)));
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, find_wire_run(tx, call.workspace, files.place.name));
    ROOST_TRY(const auto wire, wire_run_info(tx, run.seq));
    answer["root_uri"] = wire.artifact_uri;
    return {};
  }));
  return json_response(answer);
}

// GET /get-artifact?run_id=&path=
void add_page_route(Router& router, App& app, const std::string& base) {
  Route route;
  route.method = "GET";
  route.pattern = base + "/get-artifact";
  route.operation = "mlflow_get_artifact";
  route.need = need_name(Need::kReaderOrRun);
  route.handler = [&app](Request& request) -> Response {
    const auto answered = [&]() -> Result<Response> {
      ROOST_TRY(const Principal who, admit(app, Need::kReaderOrRun, request));
      ROOST_TRY(std::string workspace, mlflow_workspace(app, request, who));
      const auto run = request.query_value("run_id");
      ROOST_TRY(FileCall call, run_call(app, request, who, std::move(workspace),
                                        run ? *run : text_query(request, "run_uuid"), text_query(request, "path")));
      return get_file(call);
    };
    auto answer = answered();
    if (!answer) return mlflow_error(request, answer.error());
    answer->headers.emplace("X-Content-Type-Options", "nosniff");
    answer->headers.emplace("Cache-Control", "no-store");
    return std::move(*answer);
  };
  router.add(std::move(route));
}

}  // namespace

void add_mlflow_file_calls(MlflowCalls& calls) {
  calls.add("GET", "/artifacts/list", "mlflow_list_artifacts", Need::kReaderOrRun, list_artifacts_call);
}

void add_mlflow_artifact_routes(Router& router, App& app) {
  for (const auto& prefix : mlflow_prefixes()) {
    const std::string base = prefix + "/mlflow-artifacts";
    const std::string files = base + "/artifacts";
    add(router, app, "GET", files, "mlflow_list_files", Need::kReaderOrRun, list_files);
    add(router, app, "GET", files + "/{path...}", "mlflow_get_file", Need::kReaderOrRun, get_file);
    add(router, app, "PUT", files + "/{path...}", "mlflow_put_file", Need::kContributorOrRun, put_file, check_put);
    add(router, app, "DELETE", files + "/{path...}", "mlflow_delete_files", Need::kContributorOrRun, delete_files);
    add(router, app, "GET", base + "/presigned/{path...}", "mlflow_presign_file", Need::kReaderOrRun, no_parts);
    for (const char* step : {"create", "complete", "abort"}) {
      add(router, app, "POST", base + "/mpu/" + step + "/{path...}", "mlflow_upload_parts", Need::kContributorOrRun, no_parts);
    }
  }
  for (const char* base : {"", "/mlflow/{workspace}"}) add_page_route(router, app, base);
}

}  // namespace roost
