#pragma once

#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/show/rank_choice.h"
#include "cli/work/interrupt.h"

namespace roost {

// Shows the run until it ends and returns the exit code to end with: the run's own, or 128 + the
// signal that made us leave it (the run goes on, and how to follow it again is said). A server that
// goes away is waited for, for up to five minutes, and nothing is shown twice or left out.
// With `ranks` it is their output, each line marked with its rank; else that of the first.
Result<int> follow_run(Console& console, const std::string& id, InterruptWatch& watch,
                       const std::optional<RankChoice>& ranks = std::nullopt);

// The same for a run that is a means to an end: all it says goes to standard error, also with --json. Returns the run
// as it ended, null when a signal made us leave it.
Result<Json> follow_beside(Console& console, const std::string& id, InterruptWatch& watch);

// Waits for the run to end and shows nothing of it. Returns the run as it ended, null when a signal made us leave it.
Result<Json> wait_for_end(Console& console, const std::string& id, InterruptWatch& watch);

// Shows one log of the run from `offset` on until the run ends, and nothing else. Returns 0, or 128
// + the signal that ended it.
Result<int> follow_log(Console& console, const std::string& id, const std::string& log,
                       std::uint64_t offset, InterruptWatch& watch);

// Shows the output of several ranks and nothing else: until the run ends, or if not `live` what there is
// by now. Returns 0, or 128 + the signal that ended it.
Result<int> follow_ranks(Console& console, const std::string& id, const RankChoice& ranks, bool live,
                         InterruptWatch& watch);

}  // namespace roost
