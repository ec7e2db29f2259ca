#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"

namespace roost {

struct MetricPoint {
  std::int64_t step = kNoStep;
  Micros at = 0;
  double value = 0;
  std::optional<std::int64_t> whole = std::nullopt;  // what was logged, if it was an integer

  static constexpr std::int64_t kNoStep = std::numeric_limits<std::int64_t>::min();
};

// A point as it lies in a block: 24 bytes, little-endian. Of an integer the bits are its own, and a bit of the time, which
// no clock comes near to, says so.
struct PackedPoint {
  std::int64_t step;
  std::int64_t at;
  std::int64_t bits;

  static constexpr std::int64_t kWhole = std::int64_t{1} << 62;
};
static_assert(sizeof(PackedPoint) == 24);

// A full block. Those at the end of a series are smaller; see block_tail.h.
inline constexpr std::int64_t kBlockPoints = 4096;

inline void append_point(std::string& block, const MetricPoint& point) {
  const PackedPoint packed = {point.step, point.whole ? point.at | PackedPoint::kWhole : point.at,
                              point.whole ? *point.whole : std::bit_cast<std::int64_t>(point.value)};
  block.append(reinterpret_cast<const char*>(&packed), sizeof packed);
}

inline std::size_t point_count(std::string_view block) { return block.size() / sizeof(PackedPoint); }

inline MetricPoint point_at(std::string_view block, std::size_t index) {
  PackedPoint packed;
  std::memcpy(&packed, block.data() + index * sizeof packed, sizeof packed);
  if ((packed.at & PackedPoint::kWhole) == 0) return {packed.step, packed.at, std::bit_cast<double>(packed.bits)};
  return {packed.step, packed.at & ~PackedPoint::kWhole, static_cast<double>(packed.bits), packed.bits};
}

// The value as it was logged.
inline Json point_value(const MetricPoint& point) { return point.whole ? Json(*point.whole) : number_json(point.value); }

}  // namespace roost
