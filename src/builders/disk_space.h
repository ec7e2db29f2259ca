#pragma once

#include <string>
#include <string_view>

namespace roost {

// True for a line of any program that ran out of space: "No space left on device", "Errno 28", a quota.
bool says_no_space(std::string_view line);

// What to tell then: how much is free where environments and temporary files go, and what to do.
std::string no_space_message(const std::string& environments);

}  // namespace roost
