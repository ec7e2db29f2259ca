#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/database.h"
#include "domain/run_spec.h"
#include "endpoints/front_statistics.h"
#include "endpoints/replica_loads.h"
#include "endpoints/replica_run.h"
#include "records/changes.h"

namespace roost {

// A replica to be started: what runs, and what goes into the transaction that makes its run.
struct ReplicaStart {
  RunSpec spec;
  std::string workspace;
  std::string user;
  std::function<Result<bool>(Tx&)> may_start;
  std::function<Status(Tx&, const Run&)> was_made;
};

// The process in front of the replicas, which outlives the server.
class FrontLink {
 public:
  virtual ~FrontLink() = default;
  // Starts it if it is not there. Quick when it is.
  virtual Status ensure() = 0;
  virtual Result<Json> statistics() = 0;
};

// What endpoints use. Other rooms, which they must not know, are functions that server/rooms.cc fills in.
struct EndpointParts {
  Database& db;
  Changes& changes;
  const Clock& clock;
  ReplicaLoads& loads;
  FrontStatistics& statistics;
  FrontLink& front;
  std::function<Status(const ReplicaStart&)> start_replica;
  std::function<void(const std::string& run, const std::string& reason)> end_replica;
  // The models of that deployment, as they are now.
  std::function<Result<std::vector<DeployedModel>>(Tx&, const std::string& workspace, const DeploymentSpec&)> find_models;
  // Whether nodes of that compute are processes of this machine.
  std::function<bool(Tx&, const std::string& workspace, const std::string& compute)> is_here;
  std::function<Status(const std::string& text)> write_routes;  // serving/routes.json
};

}  // namespace roost
