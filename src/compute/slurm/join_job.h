#pragma once

#include <string>

#include "access/access.h"
#include "base/clock.h"
#include "db/database.h"
#include "domain/compute.h"
#include "records/node_watch.h"

namespace roost {

// A runner that has come up in a job, as it says.
struct JobRunner {
  std::string allocation;   // the job's name
  std::int64_t index = -1;  // of an array's element
  std::int64_t rank = 0;
  std::string host;
};

// It becomes a node, which is returned. Asking again gives the same node. kGivenUp if nobody waits for the job any more.
Result<Node> join_job(Database& db, const Access& access, NodeWatch& nodes, const Clock& clock, const JobRunner& runner);

}  // namespace roost
