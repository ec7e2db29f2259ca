#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace roost {

// Microseconds since the Unix epoch: every time Roost stores or sends.
using Micros = std::int64_t;
inline constexpr Micros kSecond = 1'000'000;

// Where the time comes from, so that tests can turn it. Calls are thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Micros now() const = 0;
  // Time that only goes forward, whatever becomes of the wall clock; stands still while the machine sleeps.
  // Means something only beside another value of the same process.
  virtual Micros steady() const = 0;
};

class SystemClock final : public Clock {
 public:
  Micros now() const override;
  Micros steady() const override;
};

// "2026-11-15T21:00:00.123456Z"
std::string format_time(Micros time);
// RFC 3339 with any offset and fraction; a bare date means midnight UTC.
Result<Micros> parse_time(std::string_view text);

}  // namespace roost
