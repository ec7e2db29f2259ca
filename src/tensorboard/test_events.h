#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/proto_wire.h"
#include "tensorboard/crc32c.h"

namespace roost {

// Event files as their writers make them, for tests.

inline std::string little(std::uint64_t value, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

inline std::string bytes_field(std::uint32_t number, std::string_view bytes) {
  std::string out;
  append_bytes_head(out, number, bytes.size());
  return out.append(bytes);
}

inline std::string double_field(std::uint32_t number, double value) {
  std::string out;
  append_varint(out, number << 3 | 1);
  return out + little(std::bit_cast<std::uint64_t>(value), 8);
}

inline std::string float_field(std::uint32_t number, float value) {
  std::string out;
  append_varint(out, number << 3 | 5);
  return out + little(std::bit_cast<std::uint32_t>(value), 4);
}

inline std::string varint_field(std::uint32_t number, std::uint64_t value) {
  std::string out;
  append_varint_field(out, number, value);
  return out;
}

inline std::string event_record(std::string_view event) {
  const std::string length = little(event.size(), 8);
  return length + little(masked_crc32c(length), 4) + std::string(event) + little(masked_crc32c(event), 4);
}

inline std::string first_event(double at) { return event_record(double_field(1, at) + bytes_field(3, "brain.Event:2")); }

inline std::string plugin_field(std::string_view name, std::string_view content = "") {
  return bytes_field(9, bytes_field(1, bytes_field(1, name) + (content.empty() ? "" : bytes_field(2, content))));
}

// `value` has the fields of a Summary.Value besides its tag.
inline std::string value_event(std::string_view tag, std::int64_t step, double at, const std::string& value) {
  return event_record(double_field(1, at) + varint_field(2, static_cast<std::uint64_t>(step)) +
                      bytes_field(5, bytes_field(1, bytes_field(1, tag) + value)));
}

inline std::string scalar_event(std::string_view tag, std::int64_t step, double at, float value) {
  return value_event(tag, step, at, float_field(2, value));
}

}  // namespace roost
