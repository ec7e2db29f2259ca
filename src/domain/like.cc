#include "domain/like.h"

namespace roost {
namespace {

// To the first byte of the next character.
std::size_t after_character(std::string_view text, std::size_t at) {
  do ++at;
  while (at < text.size() && (text[at] & 0xC0) == 0x80);
  return at;
}

}  // namespace

bool is_like(std::string_view text, std::string_view pattern) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  // Where the last % was, and how much of the text it stands for so far.
  std::size_t percent = std::string_view::npos;
  std::size_t taken = 0;
  while (at < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '%') {
      percent = in_pattern++;
      taken = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == '_') {
      at = after_character(text, at);
      ++in_pattern;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == text[at]) {
      ++at;
      ++in_pattern;
    } else if (percent != std::string_view::npos) {
      taken = after_character(text, taken);
      at = taken;
      in_pattern = percent + 1;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '%') ++in_pattern;
  return in_pattern == pattern.size();
}

}  // namespace roost
