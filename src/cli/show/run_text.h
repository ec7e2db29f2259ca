#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"

namespace roost {

// Fields of the API's answers as text: what is absent or null is "", numbers and booleans are
// printed.
std::string text_field(const Json& object, const char* name);
// The object or array under `name`, else null.
const Json& child(const Json& object, const char* name);
std::string value_text(const Json& value);

// What tables show of an id where there is little room, and what every verb takes for it: the last part of an id that Roost
// made ("44737e30" of "birds_1794784562_44737e30"); other ids whole.
std::string short_run_id(const std::string& id);
inline constexpr std::size_t kLeastOfShortId = 4;  // fewer digits are rather a name

bool is_terminal_status(std::string_view status);

// What a run's spec starts: its command, or its script with arguments.
std::string spec_command(const Json& spec);
// {name: value} of the parameters that its command line does not set: what it logged itself.
Json logged_params(const Json& run);
std::string tags_text(const Json& tags);  // "lr=0.1 best"

// The exit code `roost submit` ends with: the script's own, 128 + its signal, 0 for Completed,
// kEndedOtherwise if it ended as anything else without its script having failed.
inline constexpr int kEndedOtherwise = 120;
int run_exit_code(const Json& run);
// "Completed in 12.4 s", "Failed after 3.1 s with exit code 1", "Canceled after 2 min 03 s".
std::string run_outcome(const Json& run, Micros now);
std::string signal_name(int signal);  // "SIGKILL"

}  // namespace roost
