#include "base/base64.h"

#include <array>
#include <cstdint>

namespace roost {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 0xFF;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> out{};
  out.fill(kNone);
  for (std::uint8_t i = 0; i < 64; ++i) out[static_cast<unsigned char>(kAlphabet[i])] = i;
  out['-'] = 62;
  out['_'] = 63;
  return out;
}
constexpr auto kValues = make_values();

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  base64_append(out, bytes);
  return out;
}

void base64_append(std::string& out, std::string_view bytes) {
  const std::size_t start = out.size();
  out.resize(start + (bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data() + start;
  const auto byte = [&](std::size_t i) -> std::uint32_t { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0; };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    const std::size_t left = bytes.size() - i;
    *to++ = kAlphabet[group >> 18];
    *to++ = kAlphabet[(group >> 12) & 63];
    if (left > 1) *to++ = kAlphabet[(group >> 6) & 63];
    if (left > 2) *to++ = kAlphabet[group & 63];
  }
}

std::optional<std::string> base64_decode(std::string_view text) {
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out(text.size() * 3 / 4, '\0');
  char* to = out.data();
  std::uint32_t group = 0;
  std::uint8_t bad = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(text[i])];
    bad |= value;
    group = group << 6 | (value & 63);
    if (i % 4 == 3) {
      *to++ = static_cast<char>(group >> 16);
      *to++ = static_cast<char>(group >> 8);
      *to++ = static_cast<char>(group);
      group = 0;
    }
  }
  if (bad & 0x80) return std::nullopt;
  if (text.size() % 4 == 2) *to++ = static_cast<char>(group >> 4);
  if (text.size() % 4 == 3) {
    *to++ = static_cast<char>(group >> 10);
    *to++ = static_cast<char>(group >> 2);
  }
  return out;
}

}  // namespace roost
