#include "server/rooms.h"

#include "alerts/alert_loop.h"
#include "base/log.h"
#include "compute/local_engine.h"
#include "compute/slurm/slurm_engine.h"
#include "execute/attempts.h"
#include "execute/hold_run.h"
#include "keeping/keeping_loop.h"
#include "observe/metric_store.h"
#include "observe/system_samples.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "server/front_process.h"
#include "server/garbage_job.h"
#include "server/settle_deployment.h"
#include "server/start_run.h"

namespace roost {
namespace {

constexpr std::size_t kLastLines = 20;
constexpr std::uint64_t kTail = 64 * 1024;

ExecuteSettings execute_settings(const ServerConfig& config) {
  ExecuteSettings settings;
  settings.heartbeat_seconds = config.heartbeat_seconds;
  settings.node_silent_seconds = config.node_silent_seconds;
  settings.node_lost_seconds = config.node_lost_seconds;
  settings.process_silent_seconds = config.process_silent_seconds;
  settings.process_lost_seconds = config.process_lost_seconds;
  settings.cancel_grace_seconds = config.cancel_grace_seconds;
  settings.hang_seconds = config.hang_seconds;
  settings.hidden = config.data.string();
  settings.variables = config.variables;
  return settings;
}

SlurmJobSettings slurm_settings(const App& app) {
  SlurmJobSettings settings;
  settings.poll_seconds = app.config.slurm.poll_seconds;
  settings.url = app.config.slurm.url.empty() ? app.url : app.config.slurm.url;
  settings.certificate = app.config.tls_certificate;
  settings.folder = app.config.slurm.folder;
  settings.program = app.program;
  settings.heartbeat_seconds = app.config.heartbeat_seconds;
  settings.cancel_grace_seconds = app.config.cancel_grace_seconds;
  return settings;
}

// A run that joined later gets what it missed; an earlier server's try stays before ours.
bool copy_build_log(LogStore& logs, const std::string& run, const std::string& log) {
  const std::uint64_t have = logs.size(run, 0, std::string(kBuildLog)).value_or(0);
  if (have >= log.size()) return false;
  (void)logs.append(run, 0, std::string(kBuildLog), have, std::string_view(log).substr(have));
  return true;
}

void add_engines(App& app) {
  app.engines->add(std::make_unique<SlurmEngine>(
      app.config.slurm.cluster, app.config.slurm.sizes,
      SlurmParts{*app.db, *app.access, app.changes, app.nodes, *app.placement, app.wake, app.clock, app.serving,
                 slurm_settings(app)}));
  app.engines->add(std::make_unique<LocalEngine>(app.program, app.config.data, app.data_id, app.machine, app.clock,
                                                 app.config.hosts));
}

// What a sweep decided of a child: as cancel_run does it, and once the child has ended there is nothing to cancel.
void cancel_child(App& app, const std::string& id, const std::string& reason) {
  Run run;
  const Status canceled = app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(run, find_run(tx, id));
    if (is_terminal(run.status)) return {};
    return request_cancel(tx, run, reason, app.clock.now());
  });
  if (!canceled) {
    log_warning("{} could not be ended: {}", id, canceled.error().message);
    return;
  }
  app.builds->leave(id);
  app.changes.run_changed(id);
  app.changes.nodes_changed(*app.db, run);
}

void hold_child(App& app, const std::string& id, const std::string& reason) {
  Preempted told;
  const Status held = app.db->write([&](Tx& tx) -> Status {
    told = {};
    ROOST_TRY(Run run, find_run(tx, id));
    return hold_run(tx, run, reason, app.clock.now(), told);
  });
  if (!held) log_warning("{} could not be paused: {}", id, held.error().message);
  for (const auto& node : told.told) app.changes.node_changed(node);
  for (const auto& run : told.runs) app.changes.run_changed(run);
  app.wake.notify();
}

void release_child(App& app, const std::string& id, const std::string& reason) {
  const Status released = app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Run run, find_run(tx, id));
    return release_run(tx, run, reason, app.clock.now());
  });
  if (!released) log_warning("{} could not go on: {}", id, released.error().message);
  app.changes.run_changed(id);
  app.wake.notify();
}

template <class Order>
Status start_child(App& app, const Order& order) {
  StartSteps steps;
  steps.check = [&](Tx& tx) -> Result<std::optional<Submitter>> {
    ROOST_TRY(const bool may, order.may_start(tx));
    if (!may) return std::nullopt;
    return Submitter{order.workspace, order.user};
  };
  steps.made = order.was_made;
  ROOST_CHECK(start_run(app, order.spec, steps));
  return {};
}

SweepParts sweep_parts(App& app) {
  return {*app.db, app.changes, app.clock,
          [](Tx& tx, std::int64_t run, std::int64_t attempt, const std::string& metric,
             std::int64_t from) -> Result<std::vector<LoggedValue>> {
            ROOST_TRY(const auto points, metric_numbers(tx, run, attempt, metric, from));
            std::vector<LoggedValue> values;
            for (const auto& point : points) {
              values.push_back({point.value, point.step == MetricPoint::kNoStep ? std::nullopt : std::optional(point.step)});
            }
            return values;
          },
          [&app](const ChildOrder& order) { return start_child(app, order); },
          [&app](const std::string& run, const std::string& reason) { cancel_child(app, run, reason); },
          [&app](const std::string& run, const std::string& reason) { hold_child(app, run, reason); },
          [&app](const std::string& run, const std::string& reason) { release_child(app, run, reason); },
          [](Tx& tx, Run& run, RunStatus to, const std::string& reason, Micros now) {
            return end_interactive(tx, run, to, reason, now);
          },
          [&app](const std::string& run, const std::string& text) {
            const std::string name(kSweepLog);
            (void)app.logs->append(run, 1, name, app.logs->size(run, 1, name).value_or(0), text);
            app.changes.run_changed(run);
          }};
}

// The front keeps to this server's address; by what name others reach that is in its URL.
FrontSettings front_settings(const App& app) {
  FrontSettings settings;
  settings.program = app.program;
  settings.data = app.config.data;
  settings.address = app.config.address;
  settings.port = app.config.serving_port;
  const auto begin = app.url.find("://");
  if (begin != std::string::npos) settings.host = app.url.substr(begin + 3, app.url.rfind(':') - begin - 3);
  settings.certificate = app.config.tls_certificate;
  settings.key = app.config.tls_key;
  return settings;
}

EndpointParts endpoint_parts(App& app) {
  return {*app.db, app.changes, app.clock, app.replica_loads, app.front_statistics, *app.front,
          [&app](const ReplicaStart& order) { return start_child(app, order); },
          [&app](const std::string& run, const std::string& reason) { cancel_child(app, run, reason); },
          [](Tx& tx, const std::string& workspace, const DeploymentSpec& deployment) {
            return deployed_models(tx, workspace, deployment);
          },
          [&app](Tx& tx, const std::string& workspace, const std::string& name) {
            const auto compute = find_compute(tx, workspace, name);
            return !compute || !app.engines->of(*compute).has_own_queue();
          },
          [&app](const std::string& text) { return write_file_atomic(app.config.data / "serving" / "routes.json", text, 0600); }};
}

}  // namespace

App::App() = default;
App::~App() = default;

void build_rooms(App& app) {
  app.engines = std::make_unique<Engines>();
  app.provisioning = std::make_unique<Provisioning>(
      ProvisionParts{*app.db, *app.access, *app.engines, app.nodes, app.wake, app.clock, app.serving});
  const auto read_tail = [&logs = *app.logs](const LogTails::Name& name) {
    return LogTails::Tail{logs.tail(name.run, name.attempt, name.log, kTail),
                          logs.last_lines(name.run, name.attempt, name.log, kLastLines)};
  };
  const auto attempt_over = [&kept = app.kept](const std::string& run, std::int64_t attempt) { kept.forget(run, attempt); };
  app.execute.emplace(ExecuteParts{*app.db, *app.access, *app.sealer, app.changes, app.nodes, *app.provisioning, app.stacks, app.shells, app.wake,
                                   app.clock, app.serving, read_tail, attempt_over, execute_settings(app.config)});
  app.placement = std::make_unique<RunPlacement>(*app.execute);
  add_engines(app);
  app.finalize.emplace(FinalizeParts{
      *app.db, *app.blobs, app.kept, app.clock,
      {[&logs = *app.logs](const AttemptName& name) { return logs.sync(name.run, name.attempt); },
       [&logs = *app.logs](const AttemptName& name, const std::string& log) {
         return logs.size(name.run, name.attempt, log).value_or(0);
       }}});
  app.builder = std::make_unique<BuilderProcess>(app.program);
  app.builds = std::make_unique<EnvironmentBuilds>(
      BuildParts{*app.db, *app.environments, *app.builder, app.build_settings, app.changes, app.wake, app.clock,
                 [&logs = *app.logs](const std::string& run, const std::string& log) {
                   return copy_build_log(logs, run, log);
                 }});
  app.front = std::make_unique<FrontProcess>(front_settings(app), app.clock);
  app.garbage = std::make_unique<GarbageJob>(GarbageParts{*app.db, *app.blobs, app.clock, app.config.data});
  const auto free_share = [data = app.config.data] {
    const auto space = disk_space(data);
    return space && space->total > 0 ? static_cast<double>(space->free) / static_cast<double>(space->total) : 1.0;
  };
  app.keeping = std::make_unique<KeepingLoop>(
      KeepingParts{*app.db, app.changes, app.clock, [&logs = *app.logs](const std::string& run) { return logs.remove(run); },
                   free_share, [&garbage = *app.garbage] { garbage.start(GarbageJob::kGraceSeconds, false); },
                   app.config.bin_days * 86'400});
  app.alerts = std::make_unique<AlertLoop>(AlertParts{*app.db, *app.sealer, app.changes, app.clock, app.url, busiest_gpu,
                                                      free_share, app.config.alert_retry_seconds, app.config.idle_gpu_seconds});
}

Deciders::Deciders(App& app)
    : app_(app),
      scheduler_(ScheduleParts{*app.db, *app.placement, app.changes, app.clock, app.serving,
                               [&app](const Compute& compute) { return !app.engines->of(compute).has_own_queue(); },
                               app.config.local_nodes, app.inventory}),
      watch_(*app.execute),
      processes_(*app.execute),
      loop_(app.serving, app.nodes, app.wake, app.clock,
            LoopDuties{{{"watching nodes", [this] { watch_.watch_nodes(); }},
                        {"watching time limits", [this] { watch_.watch_deadlines(); }},
                        {"watching runs that stop", [this] { watch_.watch_stopping(); }},
                        {"watching what nodes have", [this] { watch_.watch_parts(); }},
                        {"watching what lost nodes had", [this] { watch_.watch_leases(); }},
                        {"watching canceled runs", [this] { watch_.watch_canceled(); }},
                        {"watching processes of interactive runs", [this] { processes_.watch(); }},
                        {"ending a round of watching", [this] { watch_.end_round(); }}},
                       {"scheduling", [this, &app] {
                          for (const auto& growth : scheduler_.cycle()) {
                            app.provisioning->add_nodes(growth.compute, growth.nodes);
                          }
                        }}}),
      sweeps_(sweep_parts(app)),
      endpoints_(endpoint_parts(app)) {}

}  // namespace roost
