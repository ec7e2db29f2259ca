#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sweeps/draws.h"
#include "sweeps/search_space.h"

namespace roost {

// A density over some dimensions of a space: a mixture with a kernel around each of some points, and one, the prior, over
// all. A kernel is a product: of a normal distribution cut at 0 and 1 in a continuous dimension, of what that has in each cell
// in a discrete one, and of a preference for the point's own value in a categorical one.
class Parzen {
 public:
  struct Point {
    const std::vector<double>* units = nullptr;  // which must outlive it; none of its `dimensions` NaN
    double weight = 1;                           // beside the prior's 1
  };
  Parzen(const SearchSpace& space, const std::vector<std::size_t>& dimensions, const std::vector<Point>& points);

  // Sets those of its dimensions; the middle of the cell in discrete ones.
  void draw(Draws& draws, std::vector<double>& units) const;
  double log_density(const std::vector<double>& units) const;

 private:
  struct Axis {
    const Dimension* dimension = nullptr;
    std::size_t index = 0;        // in the space
    bool is_discrete = false;
    std::size_t categories = 0;   // 0: not categorical
    double keep = 0;              // categorical: log of the probability of a kernel's own value, and of each other one
    double leave = 0;
    std::vector<double> centres;  // the different ones, rising; what follows belongs to them
    std::vector<double> widths;
    std::vector<double> log_width;
    std::vector<double> log_mass;  // of the kernel between 0 and 1
    std::vector<std::uint32_t> centre_of;  // by point
  };
  Axis make_axis(const SearchSpace& space, std::size_t index, const std::vector<Point>& points) const;
  double draw_on(const Axis& axis, Draws& draws, std::size_t point) const;
  // Of each different centre's kernel at `unit`; the last is the prior's.
  void log_kernels(const Axis& axis, double unit, std::vector<double>& answer) const;

  std::vector<double> log_weights_;  // by point, the prior's last
  std::vector<double> cumulative_;   // of the weights
  std::vector<Axis> axes_;
};

}  // namespace roost
