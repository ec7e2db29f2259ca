#pragma once

#include <string_view>

namespace roost {

// SQL's LIKE: % is any text, _ any one character (not byte), all else is itself. Takes no longer than text times
// pattern.
bool is_like(std::string_view text, std::string_view pattern);

}  // namespace roost
