#include "records/bin_records.h"
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

}  // namespace

void add_bin_routes(Router& router, App& app) {
  const std::string run = "/api/v1/runs/{run}";
  const std::string experiment = "/api/v1/workspaces/{workspace}/experiments/{experiment}";
  add_operation(router, app, "DELETE", run, "delete_run", Need::kContributor,
                [&app](Request& request, const Principal& who) { return move_one(app, request, who, put_run_in_bin); });
  add_operation(router, app, "POST", run + "/restore", "restore_run", Need::kContributor,
                [&app](Request& request, const Principal& who) { return move_one(app, request, who, take_run_out_of_bin); });
  add_operation(router, app, "DELETE", experiment, "delete_experiment", Need::kContributor,
                [&app](Request& request, const Principal& who) { return move_all(app, request, who, put_experiment_in_bin); });
  add_operation(router, app, "POST", experiment + "/restore", "restore_experiment", Need::kContributor,
                [&app](Request& request, const Principal& who) {
                  return move_all(app, request, who, take_experiment_out_of_bin);
                });
}

}  // namespace roost
