#pragma once

#include <string>

#include "db/database.h"
#include "domain/compute.h"

namespace roost {

// Every workspace has the compute "local": whole-machine nodes for runs that name no compute.
Status insert_default_compute(Tx& tx, const std::string& workspace, const Resources& machine, Micros now);

// Where the replicas of endpoints run that name no compute: made with the first of them. Replicas wait for requests most of the
// time, so there may be many.
Status insert_endpoint_compute(Tx& tx, const std::string& workspace, Micros now);

}  // namespace roost
