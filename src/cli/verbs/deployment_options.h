#pragma once

#include "cli/command_line.h"
#include "cli/work/deploy_request.h"

namespace roost {

// The options by which `deploy` and `endpoints update` say how a deployment runs.
inline Verb& add_deployment_options(Verb& verb, DeploymentChange& change) {
  return verb.option("--replicas", change.replicas, "N", "exactly so many replicas (default: 1)")
      .option("--min", change.min, "N", "at least so many, as the load needs; 0 lets it go to sleep")
      .option("--max", change.max, "N", "at most so many, as the load needs")
      .option("--idle-seconds", change.idle_seconds, "N", "a replica without work for so long may go")
      .option("--workers", change.workers, "N", "Python processes in a replica, for a script")
      .option("--max-concurrent", change.max_concurrent, "N", "requests a replica works on at once; 0 is no limit")
      .option("--queue-limit", change.queue_limit, "N", "requests that may wait; the next one gets 503")
      .option("--timeout-ms", change.timeout_ms, "N", "a request that takes longer gets 504")
      .option("--max-batch", change.max_batch, "N", "so many requests together, for an ONNX model; 1 leaves it off")
      .option("--max-delay-us", change.max_delay_us, "N", "the longest a request waits for others to go with")
      .option("--threads", change.threads, "N", "threads of one inference, for an ONNX model; 0 lets Roost choose")
      .option("--env", change.variables, "KEY=VALUE", "an environment variable of its replicas");
}

}  // namespace roost
