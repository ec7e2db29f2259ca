#include "infer/byte_strings.h"

#include <cstdint>

#include <fmt/format.h>

#include "infer/json_values.h"

namespace roost {

Result<std::vector<std::string>> read_byte_strings(std::string_view bytes, const std::string& name) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto refuse = [&](std::string_view why) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{}: string {} at byte {} of its data {}", name, out.size(), at, why));
    };
    if (bytes.size() - at < 4) return refuse("has no whole length of four bytes");
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    if (bytes.size() - at - 4 < length) {
      return refuse(fmt::format("says it has {} bytes, and {} are left", length, bytes.size() - at - 4));
    }
    if (out.size() == kMaxStrings) return refuse(fmt::format("is one more than the {} that a tensor may have", kMaxStrings));
    out.emplace_back(bytes.substr(at + 4, length));
    at += 4 + length;
  }
  return out;
}

void append_byte_strings(std::string& out, const std::vector<std::string>& strings) {
  for (const std::string& text : strings) {
    for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(text.size() >> shift));
    out += text;
  }
}

std::size_t byte_strings_size(const std::vector<std::string>& strings) {
  std::size_t size = 0;
  for (const std::string& text : strings) size += 4 + text.size();
  return size;
}

}  // namespace roost
