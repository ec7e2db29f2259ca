#include "tensorboard/event_records.h"

#include <algorithm>
#include <cstring>

#include "tensorboard/crc32c.h"

namespace roost {
namespace {

constexpr std::size_t kHead = 12;
constexpr std::size_t kFoot = 4;

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

bool is_head(std::string_view bytes) {
  return masked_crc32c(bytes.substr(0, 8)) == number_at<std::uint32_t>(bytes, 8);
}

bool is_unwritten(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) { return c == '\0'; });
}

}  // namespace

EventRecord next_event_record(std::string_view bytes) {
  using Kind = EventRecord::Kind;
  if (bytes.size() < kHead || is_unwritten(bytes.substr(0, kHead))) return {Kind::kPartial, kHead, {}};
  if (!is_head(bytes)) {
    std::size_t at = 1;
    while (at + kHead <= bytes.size() && !is_head(bytes.substr(at, kHead))) ++at;
    return {Kind::kCorrupt, at, {}};
  }
  const auto length = number_at<std::uint64_t>(bytes, 0);
  if (length > kLongestEvent) {
    return {Kind::kHuge, length > UINT64_MAX / 2 ? UINT64_MAX / 2 : length + kHead + kFoot, {}};
  }
  const std::uint64_t size = length + kHead + kFoot;
  if (bytes.size() < size) return {Kind::kPartial, size, {}};
  const std::string_view data = bytes.substr(kHead, length);
  if (masked_crc32c(data) != number_at<std::uint32_t>(bytes, kHead + length)) return {Kind::kCorrupt, size, {}};
  return {Kind::kWhole, size, data};
}

}  // namespace roost
