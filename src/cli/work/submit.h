#pragma once

#include <string>

#include "cli/console.h"
#include "cli/work/interrupt.h"

namespace roost {

// submit_run in a workspace: the new Run.
Result<Json> post_run(Console& console, const std::string& workspace, const Json& spec);

// What follows a submit: prints the run's id and how to see it (`detach`), or follows it to its
// end, all its ranks if asked to. Returns the exit code.
struct AfterSubmit {
  bool detach = false;
  bool all_ranks = false;
};
Result<int> after_submit(Console& console, const Json& run, const AfterSubmit& what,
                         InterruptWatch& watch);

}  // namespace roost
