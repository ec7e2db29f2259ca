#include "sweeps/minimise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>

namespace roost {
namespace {

using Point = std::vector<double>;

constexpr std::size_t kMemory = 8;
constexpr int kMostHalvings = 12;

double dot(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Step {
  Point moved;
  Point turned;  // how the gradient changed
  double product = 0;
};

class Search {
 public:
  Search(const Slope& slope, Point start, const Point& lower, const Point& upper, MinimiseLimits limits)
      : slope_(slope), lower_(lower), upper_(upper), limits_(limits), at_(std::move(start)), gradient_(at_.size()) {
    clamp(at_);
    value_ = slope_(at_, gradient_);
    ++evaluations_;
  }

  Minimum run() {
    while (std::isfinite(value_) && evaluations_ < limits_.evaluations && largest_free() > limits_.tolerance) {
      if (advance(direction())) continue;
      if (steps_.empty()) break;
      steps_.clear();  // what was learnt of the slope misleads here
    }
    return {at_, value_};
  }

 private:
  void clamp(Point& x) const {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::clamp(x[i], lower_[i], upper_[i]);
  }
  // At a bound, with the way down beyond it.
  bool is_held(std::size_t i) const {
    return (at_[i] <= lower_[i] && gradient_[i] > 0) || (at_[i] >= upper_[i] && gradient_[i] < 0);
  }
  double largest_free() const {
    double largest = 0;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (!is_held(i)) largest = std::max(largest, std::abs(gradient_[i]));
    }
    return largest;
  }

  Point direction() const {
    Point d(at_.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = is_held(i) ? 0 : -gradient_[i];
    if (steps_.empty()) {
      const double size = std::sqrt(dot(d, d));
      for (double& each : d) each *= std::min(1.0, first_step() / size);
      return d;
    }
    std::vector<double> share(steps_.size());
    for (std::size_t k = steps_.size(); k-- > 0;) {
      share[k] = dot(steps_[k].moved, d) / steps_[k].product;
      for (std::size_t i = 0; i < d.size(); ++i) d[i] -= share[k] * steps_[k].turned[i];
    }
    const Step& last = steps_.back();
    const double scale = last.product / dot(last.turned, last.turned);
    for (double& each : d) each *= scale;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const double back = dot(steps_[k].turned, d) / steps_[k].product;
      for (std::size_t i = 0; i < d.size(); ++i) d[i] += (share[k] - back) * steps_[k].moved[i];
    }
    for (std::size_t i = 0; i < d.size(); ++i) {
      if (is_held(i)) d[i] = 0;
    }
    return d;
  }
  double first_step() const {
    double width = 0;
    for (std::size_t i = 0; i < at_.size(); ++i) width = std::max(width, upper_[i] - lower_[i]);
    return 0.1 * width;
  }

  bool advance(const Point& d) {
    const double fall = dot(d, gradient_);
    if (!(fall < 0)) return false;
    double length = 1;
    for (int halving = 0; halving < kMostHalvings && evaluations_ < limits_.evaluations; ++halving) {
      Point next(at_.size());
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = at_[i] + length * d[i];
      clamp(next);
      Point gradient(at_.size());
      const double value = slope_(next, gradient);
      ++evaluations_;
      Step step;
      for (std::size_t i = 0; i < next.size(); ++i) step.moved.push_back(next[i] - at_[i]);
      if (std::isfinite(value) && value <= value_ + 1e-4 * dot(step.moved, gradient_)) {
        if (value >= value_ && dot(step.moved, step.moved) == 0) return false;
        for (std::size_t i = 0; i < next.size(); ++i) step.turned.push_back(gradient[i] - gradient_[i]);
        step.product = dot(step.moved, step.turned);
        if (step.product > 1e-10 * dot(step.turned, step.turned)) {
          steps_.push_back(std::move(step));
          if (steps_.size() > kMemory) steps_.pop_front();
        }
        at_ = std::move(next);
        gradient_ = std::move(gradient);
        value_ = value;
        return true;
      }
      // To the lowest point of the parabola through what is known, if that is sensible.
      const double bend = value - value_ - length * fall;
      const double lowest = std::isfinite(value) && bend > 0 ? -fall * length * length / (2 * bend) : 0;
      length = std::clamp(lowest, 0.1 * length, 0.5 * length);
    }
    return false;
  }

  const Slope& slope_;
  const Point& lower_;
  const Point& upper_;
  MinimiseLimits limits_;
  Point at_;
  Point gradient_;
  double value_ = 0;
  int evaluations_ = 0;
  std::deque<Step> steps_;
};

}  // namespace

Minimum minimise(const Slope& slope, std::vector<double> start, const std::vector<double>& lower,
                 const std::vector<double>& upper, MinimiseLimits limits) {
  return Search(slope, std::move(start), lower, upper, limits).run();
}

}  // namespace roost
