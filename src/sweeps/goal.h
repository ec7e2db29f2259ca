#pragma once

namespace roost {

// What is wanted of the primary metric of a sweep.
enum class Goal { kMaximize, kMinimize };

// Strictly; false if either is NaN.
inline bool is_better(Goal goal, double value, double than) {
  return goal == Goal::kMaximize ? value > than : value < than;
}

}  // namespace roost
