#include "base/text.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace roost {
namespace {

// Length of the valid character at the front, 0 if it is invalid, -n if n bytes begin one that is cut off.
int utf8_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const int length = lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
  if (length == 0) return 0;
  for (int i = 1; i < length; ++i) {
    if (static_cast<std::size_t>(i) >= text.size()) return -i;
    const unsigned char c = byte(static_cast<std::size_t>(i));
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    if (i == 1) {
      if (lead == 0xE0) low = 0xA0;
      if (lead == 0xED) high = 0x9F;
      if (lead == 0xF0) low = 0x90;
      if (lead == 0xF4) high = 0x8F;
    }
    if (c < low || c > high) return 0;
  }
  return length;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const int length = utf8_character(text);
    if (length <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return true;
}

std::string to_utf8(std::string_view bytes, std::size_t* cut) {
  if (cut) *cut = 0;
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const int length = utf8_character(bytes);
    if (length > 0) {
      out += bytes.substr(0, static_cast<std::size_t>(length));
      bytes.remove_prefix(static_cast<std::size_t>(length));
    } else if (length < 0 && cut) {
      *cut = bytes.size();
      break;
    } else {
      out += "\xEF\xBF\xBD";
      bytes.remove_prefix(1);
    }
  }
  return out;
}

std::string shell_quote(std::string_view word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./=:,+@%").find(static_cast<char>(c)) !=
                                       std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  const std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string fold_case(std::string_view text) {
  std::string out;
  fold_case(text, out);
  return out;
}

void fold_case(std::string_view text, std::string& out) {
  out.assign(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto first = static_cast<unsigned char>(out[i]);
    if (first < 0x80) {
      if (first >= 'A' && first <= 'Z') out[i] = static_cast<char>(first | 0x20);
      continue;
    }
    if (first < 0xC3 || first > 0xD0 || i + 1 == out.size()) continue;
    // Capitals of two bytes, and how far their small letters are.
    unsigned code = (first & 0x1FU) << 6 | (static_cast<unsigned char>(out[i + 1]) & 0x3FU);
    const bool latin = code >= 0xC0 && code <= 0xDE && code != 0xD7;
    const bool greek = code >= 0x391 && code <= 0x3A9;
    if (latin || greek || (code >= 0x410 && code <= 0x42F)) {
      code += 0x20;
    } else if (code >= 0x400 && code <= 0x40F) {
      code += 0x50;
    }
    out[i] = static_cast<char>(0xC0 | code >> 6);
    out[++i] = static_cast<char>(0x80 | (code & 0x3F));
  }
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  const char* const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return value < 10 ? fmt::format("{:.1f} {}", value, units[unit])
                    : fmt::format("{:.0f} {}", value, units[unit]);
}

std::string human_duration(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : to_utf8(text.substr(0, limit))) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  if (text.size() > limit) out += "...";
  return out;
}

}  // namespace roost
