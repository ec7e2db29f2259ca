#include "cli/show/text_width.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Not wcwidth: that depends on the locale, which is often "C" on a server.
constexpr Range kZero[] = {
    {0x0300, 0x036F},  {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x0900, 0x0902},  {0x093C, 0x093C}, {0x0941, 0x0948}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A},
    {0x1AB0, 0x1AFF},  {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},
    {0x20D0, 0x20F0},  {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF},
    {0xE0100, 0xE01EF}};
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26A1, 0x26A1},   {0x26BD, 0x26BE},   {0x2705, 0x2705},
    {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2B1B, 0x2B1C},
    {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F004, 0x1F004},
    {0x1F18E, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F64F}, {0x1F680, 0x1F6FC},
    {0x1F7E0, 0x1F7EB}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool in_ranges(const Range (&ranges)[N], std::uint32_t c) {
  const auto* it = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                    [](std::uint32_t x, const Range& r) { return x < r.first; });
  return it != std::begin(ranges) && c <= std::prev(it)->last;
}

int character_width(std::uint32_t c) {
  if (c < 0x300) return 1;
  if (in_ranges(kZero, c)) return 0;
  return in_ranges(kWide, c) ? 2 : 1;
}

// Takes one character off the front; a bad byte counts as one character of width 1.
std::string_view next_character(std::string_view& text, int& width) {
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t length = lead < 0x80 ? 1 : lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length > text.size()) length = 1;
  std::uint32_t code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  width = character_width(code);
  const std::string_view character = text.substr(0, length);
  text.remove_prefix(length);
  return character;
}

}  // namespace

int text_width(std::string_view text) {
  int total = 0;
  while (!text.empty()) {
    int width = 0;
    next_character(text, width);
    total += width;
  }
  return total;
}

std::string clip_text(std::string_view text, int width) {
  if (text_width(text) <= width) return std::string(text);
  if (width <= 0) return "";
  std::string out;
  int used = 0;
  while (!text.empty()) {
    int next = 0;
    const std::string_view character = next_character(text, next);
    if (used + next > width - 1) break;
    out += character;
    used += next;
  }
  return out + "…";
}

std::string pad_text(std::string_view text, int width, bool right_align) {
  const int missing = std::max(0, width - text_width(text));
  const std::string blanks(static_cast<std::size_t>(missing), ' ');
  return right_align ? blanks + std::string(text) : std::string(text) + blanks;
}

std::vector<std::string> wrap_text(std::string_view text, int width) {
  std::vector<std::string> lines;
  for (const std::string& paragraph : split(text, '\n')) {
    std::string line;
    for (const std::string& word : split(paragraph, ' ')) {
      if (!line.empty() && text_width(line) + 1 + text_width(word) > width) {
        lines.push_back(std::move(line));
        line.clear();
      }
      if (!line.empty()) line += ' ';
      line += word;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string one_line(std::string_view text) { return printable(text, text.size()); }

}  // namespace roost
