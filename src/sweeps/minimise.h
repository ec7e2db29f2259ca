#pragma once

#include <functional>
#include <vector>

namespace roost {

struct MinimiseLimits {
  int evaluations = 30;
  double tolerance = 1e-4;  // of the largest part of the gradient that may still be followed
};

struct Minimum {
  std::vector<double> point;
  double value = 0;
};

// Gives the value at a point and writes the gradient. A value that is not finite is a point that cannot be had.
using Slope = std::function<double(const std::vector<double>& point, std::vector<double>& gradient)>;

// Goes downhill from `start` within lower[i] <= x[i] <= upper[i] (L-BFGS, projected to the box). What it finds is never worse
// than `start`.
Minimum minimise(const Slope& slope, std::vector<double> start, const std::vector<double>& lower,
                 const std::vector<double>& upper, MinimiseLimits limits);

}  // namespace roost
