#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "front/latency_histogram.h"
#include "front/replica_queue.h"
#include "front/routing_table.h"

namespace roost {

// What became of requests, since the front's start.
struct DeploymentCounts {
  std::uint64_t requests = 0;  // answered
  std::uint64_t errors = 0;    // of those, with 500 and above
  std::map<int, std::uint64_t> by_status;
  LatencyHistogram latency;  // with the time that they waited
  std::uint64_t shadow_requests = 0;
  std::uint64_t shadow_errors = 0;

  void add(int status, std::uint64_t micros);
  void add_all(const DeploymentCounts& other);
};

// One deployment of an endpoint as the front knows it: what the table says, its replicas, what was counted. Lives on while
// requests to it are under way, also when the table has it no more. All on the loop's thread.
class FrontDeployment {
 public:
  explicit FrontDeployment(Loop& loop) : queue(loop) {}

  void set(const TableEndpoint& endpoint, const TableDeployment& deployment);
  DeploymentCounts& counts() { return counts_by_version[table.version]; }

  TableDeployment table;
  ReplicaQueue queue;
  std::map<std::string, DeploymentCounts> counts_by_version;
};

}  // namespace roost
