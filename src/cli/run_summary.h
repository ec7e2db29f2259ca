#pragma once

#include <string>

#include "base/clock.h"
#include "cli/console.h"

namespace roost {

// How a run ended, why, and the commands that show what it left behind. Counts may be null.
std::string summary_text(const Json& run, const Json& metrics, const Json& artifacts, Micros now,
                         const Style& style);

// Prints it on standard error; asks the server for the counts.
void print_summary(Console& console, const Json& run);

}  // namespace roost
