#pragma once

#include <string_view>

#include "base/log.h"
#include "base/result.h"

namespace roost {

// For threads that nobody waits for: what failed is logged, and tried again at the next turn.
inline void report_error(const Status& status, std::string_view doing) {
  if (!status) log_error("{}: {}", doing, status.error().message);
}

}  // namespace roost
