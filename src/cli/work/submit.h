#pragma once

#include <string>

#include "cli/console.h"
#include "cli/work/interrupt.h"

namespace roost {

// Posts `body` to a path below /api/v1 until the server answers, under one Idempotency-Key: what it
// makes is made once, however often the connection breaks.
Result<Json> post_once(Console& console, const std::string& path, const Json& body);

// submit_run in a workspace: the new Run.
Result<Json> post_run(Console& console, const std::string& workspace, const Json& spec);

// Whether the server refused a run only because it has not got its folder yet.
bool lacks_snapshot(const Error& error);

// What follows a submit: prints the run's id and how to see it (`detach`), or follows it to its
// end, all its ranks if asked to. Returns the exit code.
struct AfterSubmit {
  bool detach = false;
  bool all_ranks = false;
};
Result<int> after_submit(Console& console, const Json& run, const AfterSubmit& what,
                         InterruptWatch& watch);

}  // namespace roost
