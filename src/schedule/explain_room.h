#pragma once

#include <vector>

#include "db/database.h"
#include "domain/compute.h"
#include "domain/lease.h"
#include "domain/wait_estimate.h"

namespace roost {

// Of runs that wait for GPUs, CPUs or memory of the machine says so, in place of what was estimated by nodes alone:
// "waits for 2 GPUs; 1 of 4 free". `waits` are in the order in which the scheduler takes them.
Status explain_room(Tx& tx, const Compute& compute, const Inventory& inventory, std::vector<WaitEstimate>& waits);

}  // namespace roost
