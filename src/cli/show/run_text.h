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

bool is_terminal_status(std::string_view status);

// What a run's spec starts: its command, or its script with arguments.
std::string spec_command(const Json& spec);
// {name: value} of the parameters that its command line does not set: what it logged itself.
Json logged_params(const Json& run);
std::string tags_text(const Json& tags);  // "lr=0.1 best"

// The exit code `roost submit` ends with: the script's own, 128 + its signal, 0 for Completed,
// else 1.
int run_exit_code(const Json& run);
// "Completed in 12.4 s", "Failed after 3.1 s with exit code 1", "Canceled after 2 min 03 s".
std::string run_outcome(const Json& run, Micros now);
std::string signal_name(int signal);  // "SIGKILL"

}  // namespace roost
