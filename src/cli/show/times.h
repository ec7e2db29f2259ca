#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"

namespace roost {

// "just now", "42 s ago", "3 min ago", "5 h ago", "2 days ago", then the date.
std::string time_ago(Micros then, Micros now);

// "42 s", "3 min", "5 h", "2 days": where more would promise too much.
std::string rough_duration(Micros length);
// The same as "in 42 s"; "now" for less than a second.
std::string time_until(Micros then, Micros now);

// Seconds of "90", "90s", "15m", "2h", "1h30m", "7d"; `what` names the option in the error.
Result<std::int64_t> parse_duration(std::string_view text, std::string_view what);

// A moment given as a time or as how long ago: "2026-11-15", "2h".
Result<Micros> parse_moment(std::string_view text, Micros now, std::string_view what);

// The time in a field of the API's answers; none if it is null or absent.
std::optional<Micros> time_field(const Json& object, const char* name);

// How long a run took or has taken so far; none before it started.
std::optional<double> run_seconds(const Json& run, Micros now);

Micros now_micros();

}  // namespace roost
