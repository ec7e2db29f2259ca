#pragma once

#include <string>

#include "cli/console.h"
#include "cli/interrupt.h"

namespace roost {

// submit_run in a workspace: the new Run.
Result<Json> post_run(Console& console, const std::string& workspace, const Json& spec);

// What follows a submit: prints the run's id and how to see it (`detach`), or follows it to its
// end. Returns the exit code.
Result<int> after_submit(Console& console, const Json& run, bool detach, InterruptWatch& watch);

}  // namespace roost
