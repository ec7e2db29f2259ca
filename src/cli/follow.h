#pragma once

#include <string>

#include "cli/console.h"
#include "cli/interrupt.h"

namespace roost {

// Shows the run until it ends and returns the exit code to end with: the run's own, or 128 + the
// signal that made us leave it (the run goes on, and how to follow it again is said). A server that
// goes away is waited for, for up to five minutes, and nothing is shown twice or left out.
Result<int> follow_run(Console& console, const std::string& id, InterruptWatch& watch);

// Shows one log of the run from `offset` on until the run ends, and nothing else. Returns 0, or 128
// + the signal that ended it.
Result<int> follow_log(Console& console, const std::string& id, const std::string& log,
                       std::uint64_t offset, InterruptWatch& watch);

}  // namespace roost
