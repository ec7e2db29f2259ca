#pragma once

#include <string>

#include "db/database.h"
#include "domain/compute.h"

namespace roost {

// Every workspace has the compute "local": whole-machine nodes for runs that name no compute.
Status insert_default_compute(Tx& tx, const std::string& workspace, const Resources& machine, Micros now);

}  // namespace roost
