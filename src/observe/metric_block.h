#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace roost {

// A point of a series as it lies in a block: 24 bytes, little-endian.
struct MetricPoint {
  std::int64_t step = kNoStep;
  Micros at = 0;
  double value = 0;

  static constexpr std::int64_t kNoStep = std::numeric_limits<std::int64_t>::min();
};
static_assert(sizeof(MetricPoint) == 24);

// A full block. Those at the end of a series are smaller; see block_tail.h.
inline constexpr std::int64_t kBlockPoints = 4096;

inline void append_point(std::string& block, const MetricPoint& point) {
  block.append(reinterpret_cast<const char*>(&point), sizeof point);
}

inline std::size_t point_count(std::string_view block) { return block.size() / sizeof(MetricPoint); }

inline MetricPoint point_at(std::string_view block, std::size_t index) {
  MetricPoint point;
  std::memcpy(&point, block.data() + index * sizeof point, sizeof point);
  return point;
}

}  // namespace roost
