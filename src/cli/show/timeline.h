#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "cli/show/style.h"

namespace roost {

struct TimelineStage {
  std::string name;
  Micros start = 0;
  Micros end = 0;
};

// The stages a run went through, from its events (list_run_events), oldest first. The last one of a
// run that is not over lasts until `now`; a terminal state is no stage.
std::vector<TimelineStage> stages_of(const Json& events, Micros now);

// One line for each state in the order it came: name, how long in all, and bars where in the whole the run
// was in it. At most `width` columns.
std::string timeline(const std::vector<TimelineStage>& stages, int width, const Style& style);

}  // namespace roost
