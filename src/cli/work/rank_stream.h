#pragma once

#include <cstddef>
#include <optional>

#include "cli/console.h"
#include "cli/show/rank_choice.h"

namespace roost {

// Prints the logs of several ranks in the order of time, each line marked with its rank; with `follow`
// until the run ends. With `tail` only the last lines of what there is by now. With --json the events
// of follow_run, one a line.
Result<int> print_ranks(Console& console, const Json& run, RankChoice choice, bool follow,
                        std::optional<std::size_t> tail);

}  // namespace roost
