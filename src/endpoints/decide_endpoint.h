#pragma once

#include <functional>
#include <string>
#include <vector>

#include "endpoints/endpoint_progress.h"
#include "endpoints/scale.h"
#include "records/endpoint_records.h"

namespace roost {

// What is known when an endpoint is looked at.
struct EndpointFacts {
  const EndpointRow& endpoint;
  std::vector<ReplicaRow> replicas;  // its open ones, oldest first
  std::function<DeploymentLoad(const std::string& deployment)> load;
  std::function<std::int64_t(const std::string& run)> in_flight;  // of one replica, as it said last
  Micros now = 0;
};

struct EndpointDecision {
  struct Start {
    std::string deployment;
    std::int64_t count = 0;
  };
  std::vector<Start> start;
  std::vector<ReplicaRow> save;    // rows that changed: retired or closed
  std::vector<std::string> end;    // runs to be ended, with nothing under way any more
  EndpointProgress progress;
};

// A pure function: which replicas are to be started, sent nothing more, and ended, so that the endpoint becomes what its
// spec says, and no request fails meanwhile. A new revision of a deployment takes over when it is ready; one that does not
// come up is given up after some tries, and the one before goes on.
EndpointDecision decide_endpoint(const EndpointFacts& facts);

inline constexpr std::int64_t kUsualTimeoutMs = 60'000;  // where the deployment is gone that says how long a request may take

// Whether one that is sent nothing more can be ended: it has answered what it had. One that knows it ends by itself.
bool is_drained(const ReplicaRow& replica, std::int64_t in_flight, std::int64_t timeout_ms, Micros now);

}  // namespace roost
