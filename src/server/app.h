#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "access/access.h"
#include "base/clock.h"
#include "base/disk_reserve.h"
#include "base/serving_time.h"
#include "base/wake.h"
#include "blobs/blob_store.h"
#include "compute/compute_provider.h"
#include "compute/slurm_cluster.h"
#include "db/database.h"
#include "domain/run.h"
#include "finalize/keep_outputs.h"
#include "observe/log_store.h"
#include "prepare/environment_cache.h"
#include "prepare/prepare_environment.h"
#include "records/changes.h"
#include "records/node_watch.h"
#include "registry/curated.h"
#include "schedule/estimate.h"
#include "server/config.h"
#include "server/stack_requests.h"
#include "server/statistics.h"

namespace roost {

struct BuildState {
  std::string status;  // "queued", "building", "built", "failed"
  std::string message;
};

// The parts of a running server that its routes and its control loop use. Built in server.cc, which
// owns it; everything in it is thread-safe.
struct App {
  ServerConfig config;
  std::string url;  // known once the listener is bound
  std::string data_id;  // of the data folder
  std::string python;
  Micros started = 0;
  Resources machine;

  SystemClock clock;
  std::unique_ptr<DiskReserve> reserve;
  std::unique_ptr<Database> db;
  std::unique_ptr<BlobStore> blobs;
  std::unique_ptr<LogStore> logs;
  std::unique_ptr<Access> access;
  std::unique_ptr<ComputeProvider> provider;  // of nodes on this machine
  std::unique_ptr<SlurmCluster> slurm;
  std::string program;  // this very program, for nodes that lack it
  BuildSettings build_settings;
  std::unique_ptr<EnvironmentCache> environments;
  CuratedEnvironments curated;
  Changes changes;
  Wake wake;  // of the loops that decide
  ServingTime serving{clock};
  NodeWatch nodes{serving};
  StackRequests stacks{clock};
  KeptOutputs kept;
  Statistics statistics;

  // Builds an environment that the run ("" for nobody) waits for.
  std::function<void(const BuildRequest& build, const std::string& run)> request_build;
  std::function<void(const std::string& run)> leave_build;  // the run waits for none any more
  std::function<std::optional<BuildState>(const std::string& digest)> build_state;
  // What a build under way has printed; nothing if there is none.
  std::function<std::optional<std::string>(const std::string& digest)> build_log;
  // Where another engine decides who starts (Slurm), it puts its own words in place of what was estimated.
  // Empty where there is none.
  std::function<Status(Tx& tx, const Compute& compute, std::vector<WaitEstimate>& waits)> explain_queue;
  // Begins a garbage collection or joins the one under way, and answers how far it is; see GarbageJob.
  std::function<Json(std::int64_t grace_seconds, bool verify)> collect_garbage;
  std::function<Json()> garbage_state;
  // Ends the server; `keep_runs` leaves training running.
  std::function<void(bool keep_runs)> request_stop;
};

}  // namespace roost
