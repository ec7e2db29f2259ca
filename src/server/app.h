#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "access/access.h"
#include "base/clock.h"
#include "base/disk_reserve.h"
#include "base/sealing.h"
#include "base/serving_time.h"
#include "base/wake.h"
#include "blobs/blob_store.h"
#include "compute/engines.h"
#include "compute/provisioning.h"
#include "db/database.h"
#include "domain/lease.h"
#include "endpoints/front_statistics.h"
#include "endpoints/replica_loads.h"
#include "execute/execute_parts.h"
#include "execute/placement.h"
#include "execute/shell_sessions.h"
#include "execute/stack_requests.h"
#include "finalize/finalize_parts.h"
#include "finalize/keep_outputs.h"
#include "observe/log_store.h"
#include "prepare/environment_builds.h"
#include "prepare/environment_cache.h"
#include "prepare/prepare_environment.h"
#include "records/changes.h"
#include "records/node_watch.h"
#include "registry/curated.h"
#include "server/config.h"
#include "server/statistics.h"

namespace roost {

class AlertLoop;
class FrontProcess;
class GarbageJob;
class KeepingLoop;

// The object graph of a running server, for its routes. Built in server.cc, which owns it; everything in it is
// thread-safe. Nothing outside server/ knows it: the rooms are given what they use (rooms.cc).
struct App {
  ServerConfig config;
  std::string url;  // known once the listener is bound
  std::string data_id;  // of the data folder
  std::string python;
  Micros started = 0;
  Resources machine;     // in numbers
  Inventory inventory;   // the same by name
  std::string program;  // this very program, for nodes that lack it

  SystemClock clock;
  std::unique_ptr<DiskReserve> reserve;
  std::unique_ptr<Database> db;
  std::unique_ptr<BlobStore> blobs;
  std::unique_ptr<LogStore> logs;
  std::unique_ptr<Access> access;
  std::unique_ptr<Sealer> sealer;
  BuildSettings build_settings;
  std::unique_ptr<EnvironmentCache> environments;
  CuratedEnvironments curated;
  Changes changes;
  Wake wake;  // of the loops that decide
  ServingTime serving{clock};
  NodeWatch nodes{serving};
  StackRequests stacks{clock};
  ShellSessions shells{clock, changes.hub()};
  KeptOutputs kept;
  Statistics statistics;
  ReplicaLoads replica_loads;
  FrontStatistics front_statistics;

  // The rooms, in the order in which they need each other; there before the first request.
  std::unique_ptr<Engines> engines;
  std::unique_ptr<Provisioning> provisioning;
  std::optional<ExecuteParts> execute;
  std::unique_ptr<RunPlacement> placement;
  std::optional<FinalizeParts> finalize;
  std::unique_ptr<EnvironmentBuilder> builder;
  std::unique_ptr<EnvironmentBuilds> builds;
  std::unique_ptr<GarbageJob> garbage;
  std::unique_ptr<KeepingLoop> keeping;
  std::unique_ptr<AlertLoop> alerts;
  std::unique_ptr<FrontProcess> front;

  // Ends the server; `keep_runs` leaves training running.
  std::function<void(bool keep_runs)> request_stop;

  App();
  ~App();
};

}  // namespace roost
