#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "cli/show/style.h"

namespace roost {

// What the page is made of, as the API gives it; what is not known is null.
struct RunPageFacts {
  Json run;
  Json events;  // the items of list_run_events
  Json ranks;   // the items of list_ranks
  Json wait;    // its item of list_queue
};

// The page `roost show` prints: every fact of a run, why it waits, how long it was in each state, its ranks if
// there are several, and why it failed.
std::string run_page(const RunPageFacts& page_facts, Micros now, int width, const Style& style);

}  // namespace roost
