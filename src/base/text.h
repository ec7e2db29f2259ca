#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roost {

bool is_utf8(std::string_view text);
// Valid UTF-8 with each bad byte as U+FFFD. `cut`, if given, receives how many bytes at the end were
// held back because they begin a character whose rest has not come yet.
std::string to_utf8(std::string_view bytes, std::size_t* cut = nullptr);

// One word of a POSIX shell command line that means exactly `word`.
std::string shell_quote(std::string_view word);

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string lower(std::string_view text);
// Text without regard to upper and lower case: Latin, Greek and Cyrillic letters in small, of the same length in bytes.
std::string fold_case(std::string_view text);
void fold_case(std::string_view text, std::string& out);

std::string human_bytes(std::uint64_t bytes);      // "1.4 MB"
std::string human_duration(double seconds);        // "850 ms", "12.4 s", "3 min 20 s", "2 h 05 min"

// "name" at most `limit` characters long, for error messages: control characters shown as \xNN.
std::string printable(std::string_view text, std::size_t limit = 80);

}  // namespace roost
