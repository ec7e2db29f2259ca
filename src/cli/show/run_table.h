#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "cli/show/table.h"

namespace roost {

// Runs as `roost runs` shows them.
TextTable run_table(const Json& runs, Micros now);

}  // namespace roost
