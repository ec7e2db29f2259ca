#pragma once

#include <string>
#include <string_view>

namespace roost {

// A unified diff with three lines of context; "" when the texts are equal. Texts so different that
// the shortest script of edits would take too long to find are shown as removed and added whole.
std::string unified_diff(std::string_view before, std::string_view after,
                         const std::string& name_before, const std::string& name_after);

// Whether bytes are no text that a diff could show: they have a NUL or are not UTF-8.
bool is_binary(std::string_view bytes);

}  // namespace roost
