#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "cli/show/style.h"

namespace roost {

// How a run ended, why, and the commands that show what it left behind. Counts may be null.
std::string summary_text(const Json& run, const Json& metrics, const Json& artifacts, Micros now,
                         const Style& style);

}  // namespace roost
