#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/json.h"

namespace roost {

// Why a run waits and until when. An engine with a queue of its own puts its own words here.
struct WaitEstimate {
  std::int64_t run = 0;
  std::optional<std::int64_t> position;  // from 1; none if it cannot start as things are
  std::string reason;                    // in words
  std::optional<Micros> start_at;
  std::string basis;  // how start_at was found, in words; "" without it
  Json facts;         // what the engine says beside: an object, or null
};

}  // namespace roost
