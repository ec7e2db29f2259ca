#pragma once

#include <string>
#include <vector>

#include "domain/run.h"
#include "observe/log_feed.h"

namespace roost {

// The logs that `ranks` means ("all", or ranks like "0,3") of a run, each once and in order of rank.
// `offsets` has where to start in each of them, in the order in which the ranks were given; the last ones may
// be left out, which then start at 0.
Result<std::vector<RankLog>> rank_logs(const Run& run, const std::string& ranks, const std::string& offsets);

}  // namespace roost
