#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roost {

// Columns a terminal gives to the text (UTF-8, no escapes): 2 for East Asian wide characters and
// emoji, 0 for combining marks, 1 otherwise.
int text_width(std::string_view text);

// At most `width` columns, with "…" at the end when something was cut off.
std::string clip_text(std::string_view text, int width);
std::string pad_text(std::string_view text, int width, bool right_align = false);

// Lines of at most `width` columns, broken at blanks; line ends in the text are kept.
std::vector<std::string> wrap_text(std::string_view text, int width);

// One line that is safe to show: control characters as \xNN, bad bytes as U+FFFD.
std::string one_line(std::string_view text);

}  // namespace roost
