#pragma once

#include <string>

#include "base/clock.h"
#include "db/database.h"
#include "domain/compute.h"
#include "domain/run.h"
#include "records/placement.h"

namespace roost {

// Takes the node away. A run on it is stopped on all its nodes (SIGTERM, the grace, SIGKILL) and waits
// again once they have reported; what it wrote to ./outputs is there when it goes on. A run whose processes
// have ended, or are being ended, is left to end. A node that is leaving already stays as it is.
Status preempt_node(Tx& tx, Node& node, const std::string& why, Micros now, Preempted& preempted);

// All nodes of a preempted attempt have reported: closes it and queues the run again. Costs no retry.
Status requeue_preempted(Tx& tx, Run& run, const std::string& why, Micros now);

}  // namespace roost
