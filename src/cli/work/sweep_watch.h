#pragma once

#include <string>

#include "cli/console.h"
#include "cli/work/interrupt.h"

namespace roost {

// Shows the sweep until it ends: on a terminal a table that is drawn anew every second, else a line on
// standard error for each trial that ends and the table, once, at the end. With --json nothing but the
// sweep with its "trials" at the end. Returns 0 if it Completed, 1 if not, or 128 + the signal that
// made us leave it; the sweep goes on then. A server that goes away is waited for, for up to five
// minutes.
Result<int> watch_sweep(Console& console, const Json& sweep, InterruptWatch& watch);

// The same once: what there is by now. `top` > 0: only so many, best first.
Result<int> print_sweep(Console& console, const Json& sweep, std::int64_t top);

}  // namespace roost
