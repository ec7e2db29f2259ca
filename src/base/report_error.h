#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "base/activity.h"
#include "base/log.h"
#include "base/result.h"

namespace roost {

// For threads that nobody waits for: what failed is logged, and tried again at the next turn.
inline void report_error(const Status& status, std::string_view doing) {
  if (!status) log_error("{}: {}", doing, status.error().message);
}

// One turn of such a thread under a name for the log. What it throws is logged, and the next turn comes. False if it
// threw.
template <class Turn>
bool take_turn(const char* name, Turn&& turn) {
  const Activity activity(name);
  try {
    turn();
    return true;
  } catch (const std::exception& error) {
    log_error("{} threw: {}", name, error.what());
  } catch (...) {
    log_error("{} threw something that is not a std::exception", name);
  }
  return false;
}

}  // namespace roost
