#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "cli/show/style.h"

namespace roost {

// When an item of list_queue will likely start: "in 4 min", "within 2 h" if only time limits tell, "" if
// nothing does.
std::string start_text(const Json& item, Micros now);

// Why an item of list_queue waits and how long it will: "behind 3 runs; likely starts in 4 min (by ...)".
std::string wait_text(const Json& item, Micros now);

// The queue as a table. A column that says the same of every run is left out. Where the terminal is too narrow
// for it, the reasons stand below the runs. `width` 0 is a pipe.
std::string queue_table(const Json& items, Micros now, const Style& style, int width);

// One line for each compute whose nodes are in use: how many, by how many runs, until when. `items` has the
// runs that have nodes.
std::string holders_text(const Json& items, const Json& computes, Micros now, const Style& style);

}  // namespace roost
