#pragma once

#include <string>
#include <vector>

#include "serve/replica.h"
#include "serve/serving_order.h"

namespace roost {

// What answers the requests of a replica. Paths of the order are below `app_root`. An error names what of the order
// cannot be served, and is found before anything is loaded.
Result<ReplicaServant> choose_servant(const ServingOrder& order, const std::string& app_root);

}  // namespace roost
