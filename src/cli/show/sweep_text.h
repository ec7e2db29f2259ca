#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "cli/show/style.h"
#include "cli/show/table.h"

namespace roost {

TextTable sweep_table(const Json& sweeps, Micros now);

// How a trial ended or what it does: its run's status, "Stopped" if a policy ended it, "Paused" if it may go on.
std::string trial_status(const Json& trial);
// "lr=0.01 momentum=0.9", in the order of the search space, names without dashes.
std::string parameters_text(const Json& sweep, const Json& parameters);

// The `most` best trials, best first; those without a value of the metric come last, in their order.
Json best_trials(const Json& sweep, const Json& trials, std::size_t most);
// At most `most` in order of number: what runs, then the best, then the newest.
Json trials_that_fit(const Json& sweep, const Json& trials, std::size_t most);

// A row for each trial, the best one marked with "*"; a policy's reason stands at its end, or below it where the
// terminal has no room. `width` 0 is a pipe, which also gets the runs' ids.
std::string trial_table(const Json& sweep, const Json& trials, Micros now, const Style& style, int width);

// What there is to say of the sweep besides its trials: where it is, when it will end, the best.
// `trials` are all of them.
std::string sweep_head(const Json& sweep, const Json& trials, Micros now, const Style& style, int width = 0);

// One line about a trial that has ended.
std::string trial_line(const Json& sweep, const Json& trial);

}  // namespace roost
