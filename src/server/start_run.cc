#include "server/start_run.h"

#include "domain/secret_variables.h"
#include "prepare/prepare_environment.h"
#include "records/compute_records.h"
#include "submit/check_resources.h"
#include "submit/submit_run.h"

namespace roost {

namespace {

// Where another engine decides it knows best what its nodes have.
Status check_machine(const App& app, Tx& tx, const std::string& workspace, const RunSpec& spec) {
  if (spec.resources.is_open()) return {};
  const auto compute = find_compute(tx, workspace, spec.compute);
  if (!compute) return {};  // submit_run() says it better
  const ComputeEngine& engine = app.engines->of(*compute);
  if (engine.has_own_queue()) return {};
  const Resources node = engine.share_of(*compute).resources;
  return check_resources(spec.resources, spec.node_count, compute->name, {node.gpus, node.cpus, node.memory_mb},
                         app.inventory.amounts());
}

}  // namespace

Result<std::optional<Run>> start_run(App& app, RunSpec spec, const StartSteps& steps) {
  seal_variables(spec, *app.sealer);
  std::optional<Run> run;
  std::optional<BuildRequest> build;
  // The snapshot must not be collected between being found and being named by the run.
  const auto hold = app.blobs->hold();
  const Status files = check_files(*app.blobs, spec);
  EnvironmentLook look(*app.environments);
  look.look_at_program(app.build_settings.python);
  const auto submit = [&](Tx& tx) -> Status {
    const Micros now = app.clock.now();
    build.reset();
    run.reset();
    ROOST_TRY(const auto submitter, steps.check(tx));
    if (!submitter) return {};
    if (!spec.interactive) ROOST_CHECK(check_machine(app, tx, submitter->workspace, spec));
    ROOST_TRY(run, submit_run(tx, files, app.curated, submitter->workspace, spec, submitter->user, now));
    if (!has_no_node(*run)) {
      ROOST_TRY(build, prepare_environment(tx, *run, app.build_settings, look, now));
    }
    return steps.made(tx, *run);
  };
  Status submitted = app.db->write(submit);
  while (!submitted && look.is_incomplete()) {
    look.look_at_missing(app.clock.now());
    submitted = app.db->write(submit);
  }
  ROOST_CHECK(submitted);
  if (!run) return std::nullopt;
  ++app.statistics.runs_submitted;
  if (build) app.builds->request(*build, run->id);
  app.changes.run_changed(run->id);
  app.wake.notify();
  return run;
}

Result<Run> check_start(App& app, const RunSpec& spec, const Submitter& submitter) {
  const auto hold = app.blobs->hold();
  const Status files = check_files(*app.blobs, spec);
  std::optional<Run> run;
  const Status undone = app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(run, submit_run(tx, files, app.curated, submitter.workspace, spec, submitter.user, app.clock.now()));
    return fail(ErrorCode::kFailedPrecondition, "nothing is to stay of it");
  });
  if (run) return *std::move(run);
  return fail(undone.error());
}

}  // namespace roost
