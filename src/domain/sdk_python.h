#pragma once

#include "base/json.h"
#include "base/result.h"

namespace roost {

// Refuses an environment that asks for a Python in which Roost's SDK cannot work: before 3.6. Said when the run is
// submitted: nothing is built for it.
Status check_sdk_python(const Json& definition);

}  // namespace roost
