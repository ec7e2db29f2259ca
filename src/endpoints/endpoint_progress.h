#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace roost {

// How far the loop has come with one deployment, in the revision that it is to have.
struct DeploymentProgress {
  std::int64_t revision = 0;
  std::int64_t failures = 0;  // replicas that ended one after the other without a longer time of service between them
  std::int64_t restarts = 0;  // in all
  Micros next_try = 0;        // no replica is started before
  bool was_ready = false;
  bool has_failed = false;    // given up
  std::string code;           // of the last failure: "CrashLoopBackOff", ...
  std::string message;
  std::int64_t wanted = 0;    // replicas, by load
  Micros low_since = 0;       // fewer would do since then; 0: they would not
};

// What was done for an endpoint, for those who wait: Azure's SDK prints these lines.
struct EndpointStep {
  Micros at = 0;
  std::string text;
};

struct EndpointProgress {
  std::map<std::string, DeploymentProgress> deployments;
  std::vector<EndpointStep> steps;  // of the newest revision

  // Says it once.
  void add_step(Micros at, const std::string& text);
};

Json progress_json(const EndpointProgress& progress);
EndpointProgress stored_progress(const Json& stored);

}  // namespace roost
