#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "cli/table.h"

namespace roost {

// Runs as `roost runs` shows them.
TextTable run_table(const Json& runs, Micros now);

}  // namespace roost
