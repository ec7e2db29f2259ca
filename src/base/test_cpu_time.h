#pragma once

#include <ctime>

namespace roost {

// What this thread has used of a processor until now: unlike a clock it does not mind a busy machine.
inline double cpu_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

}  // namespace roost
