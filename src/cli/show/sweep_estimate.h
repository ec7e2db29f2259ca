#pragma once

#include <optional>

#include "base/clock.h"
#include "base/json.h"

namespace roost {

// When a sweep will likely have ended, from how long its ended trials took and how many run at once;
// trials that a policy stopped count with the short time they took. None before the first trial has
// ended, and for a sweep that is paused or over.
std::optional<Micros> estimated_end(const Json& sweep, const Json& trials, Micros now);

// How many trials it will have made when it ends: its limit, or fewer if its space has not so many.
std::int64_t planned_trials(const Json& sweep);
// How many it has made by now, and how many of these are over.
std::int64_t made_trials(const Json& sweep);
std::int64_t ended_trials(const Json& sweep);

}  // namespace roost
