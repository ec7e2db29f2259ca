#pragma once

#include <cstdint>

#include "base/clock.h"
#include "domain/endpoint.h"

namespace roost {

// What a deployment has to do at the moment, as the front counts it.
struct DeploymentLoad {
  std::int64_t in_flight = 0;
  std::int64_t waiting = 0;  // for a replica that has room, or for the first one
};

struct Scaling {
  std::int64_t wanted = 0;
  Micros low_since = 0;  // 0: no fewer would do
};

// How many replicas there are to be: more at once, fewer only after they were not needed for a minute, none after
// `idle_seconds` without a request.
Scaling scale(const DeploymentSpec& deployment, const DeploymentLoad& load, Scaling now, Micros at);

}  // namespace roost
