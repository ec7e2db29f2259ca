#pragma once

#include <cstdint>
#include <string>

#include "runner/runner.h"

namespace roost {

// How a runner that Slurm started becomes a node.
struct JoinOptions {
  std::string allocation;  // the name of the Slurm job
  std::int64_t index = -1;  // of an array's element
  std::int64_t rank = 0;    // of this node in the job
  std::string server;
  std::string ca_file;
  std::string folder;      // for all of Roost on this node
  std::string gpus;
};

// Asks the server to take this process as a node. Tries for a few minutes; kFailedPrecondition or
// kUnauthenticated if nobody waits for the job any more. ROOST_ALLOCATION_TOKEN opens the server.
Result<RunnerOptions> join_server(const JoinOptions& options);

}  // namespace roost
