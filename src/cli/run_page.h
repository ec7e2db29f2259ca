#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "cli/style.h"

namespace roost {

// The page `roost show` prints: every fact of a run, its stages as a timeline, its ranks if there are
// several, and why it failed.
std::string run_page(const Json& run, const Json& events, const Json& ranks, Micros now, int width,
                     const Style& style);

}  // namespace roost
