#include "keeping/keeping_loop.h"
#include "records/bin_records.h"
#include "records/purge_records.h"
#include "records/run_records.h"
#include "records/workspace_records.h"
#include "server/routes/routes.h"
#include "server/run_details.h"

namespace roost {
namespace {

using MoveRun = Result<std::vector<std::string>> (&)(Tx&, const Run&, std::string_view, Micros);
using MoveExperiment = Result<std::vector<std::string>> (&)(Tx&, const Experiment&, std::string_view, Micros);

void tell(App& app, const std::vector<std::string>& runs) {
  for (const auto& run : runs) app.changes.run_changed(run);
}

Result<Response> move_one(App& app, const Request& request, const Principal& who, MoveRun move) {
  Json answer;
  std::vector<std::string> moved;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Run run, find_run(tx, request.parameters.at("run")));
    ROOST_TRY(moved, move(tx, run, who.name, app.clock.now()));
    ROOST_TRY(run, run_by_row(tx, run.seq));
    ROOST_TRY(answer, whole_run_json(tx, run, who, app.clock.now()));
    return {};
  }));
  tell(app, moved);
  return json_response(answer);
}

Result<Response> move_all(App& app, Request& request, const Principal& who, MoveExperiment move) {
  const std::string workspace = request.parameters["workspace"];
  Experiment experiment;
  std::vector<std::string> moved;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(experiment, find_experiment(tx, workspace, request.parameters["experiment"]));
    ROOST_TRY(moved, move(tx, experiment, who.name, app.clock.now()));
    ROOST_TRY(experiment, find_experiment(tx, workspace, experiment.name));
    return {};
  }));
  tell(app, moved);
  return json_response(experiment_json(experiment));
}

Result<Response> purge_one(App& app, const Request& request, const Principal& who) {
  Json answer;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, find_run(tx, request.parameters.at("run")));
    ROOST_CHECK(request_purge(tx, run, who.name, app.clock.now()));
    ROOST_TRY(answer, whole_run_json(tx, run, who, app.clock.now()));
    return {};
  }));
  app.keeping->wake();
  return json_response(answer, 202);
}

Result<Response> purge_all(App& app, Request& request, const Principal& who) {
  const std::string workspace = request.parameters["workspace"];
  Experiment experiment;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(experiment, find_experiment(tx, workspace, request.parameters["experiment"]));
    return request_purge(tx, experiment, who.name, app.clock.now());
  }));
  app.keeping->wake();
  return json_response(experiment_json(experiment), 202);
}

Result<Json> bin_json(App& app, Tx& tx, const std::string& workspace) {
  ROOST_TRY(const BinFacts facts, bin_facts(tx, workspace));
  return Json{{"runs", facts.runs},
              {"experiments", facts.experiments},
              {"being_deleted", facts.being_deleted},
              {"oldest_at", facts.oldest ? Json(format_time(*facts.oldest)) : Json()},
              {"keep_days", app.config.bin_days}};
}

Result<Response> look(App& app, Request& request) {
  Json answer;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, request.parameters["workspace"]));
    ROOST_TRY(answer, bin_json(app, tx, request.parameters["workspace"]));
    return {};
  }));
  return json_response(answer);
}

Result<Response> empty(App& app, Request& request, const Principal& who) {
  const std::string workspace = request.parameters["workspace"];
  ROOST_TRY(const Json body, json_body(request));
  JsonFields fields(body, "the request");
  const auto age = fields.integer("older_than_seconds", 0, 0, 3'153'600'000);
  ROOST_CHECK(fields.done());
  Json answer;
  ROOST_CHECK(app.db->write([&](Tx& tx) -> Status {
    const Micros now = app.clock.now();
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_CHECK(request_purge_of_old(tx, workspace, now - age * kSecond + 1, who.name, now));
    ROOST_TRY(answer, bin_json(app, tx, workspace));
    return {};
  }));
  app.keeping->wake();
  return json_response(answer, 202);
}

}  // namespace

void add_bin_routes(Router& router, App& app) {
  const std::string run = "/api/v1/runs/{run}";
  const std::string experiment = "/api/v1/workspaces/{workspace}/experiments/{experiment}";
  add_operation(router, app, "DELETE", run, "delete_run", Need::kContributor,
                [&app](Request& request, const Principal& who) { return move_one(app, request, who, put_run_in_bin); });
  add_operation(router, app, "POST", run + "/restore", "restore_run", Need::kContributor,
                [&app](Request& request, const Principal& who) { return move_one(app, request, who, take_run_out_of_bin); });
  add_operation(router, app, "POST", run + "/purge", "purge_run", Need::kOwner,
                [&app](Request& request, const Principal& who) { return purge_one(app, request, who); });
  add_operation(router, app, "POST", experiment + "/purge", "purge_experiment", Need::kOwner,
                [&app](Request& request, const Principal& who) { return purge_all(app, request, who); });
  const std::string bin = "/api/v1/workspaces/{workspace}/bin";
  add_operation(router, app, "GET", bin, "get_bin", Need::kReader,
                [&app](Request& request, const Principal&) { return look(app, request); });
  add_operation(router, app, "POST", bin + "/empty", "empty_bin", Need::kOwner,
                [&app](Request& request, const Principal& who) { return empty(app, request, who); });
  add_operation(router, app, "DELETE", experiment, "delete_experiment", Need::kContributor,
                [&app](Request& request, const Principal& who) { return move_all(app, request, who, put_experiment_in_bin); });
  add_operation(router, app, "POST", experiment + "/restore", "restore_experiment", Need::kContributor,
                [&app](Request& request, const Principal& who) {
                  return move_all(app, request, who, take_experiment_out_of_bin);
                });
}

}  // namespace roost
