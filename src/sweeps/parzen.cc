#include "sweeps/parzen.h"

#include <algorithm>
#include <cmath>

#include "sweeps/dimension_values.h"
#include "sweeps/normal.h"
#include "sweeps/portable_math.h"

namespace roost {
namespace {

constexpr double kLeastWidth = 0.7;  // beside the distance of as many points spread evenly
constexpr double kPriorCentre = 0.5;
constexpr double kPriorWidth = 1.0;
constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
constexpr double kLeast = 1e-300;  // so that a logarithm is a number

// As wide as the larger gap to a neighbour: narrow where points are dense. The ends of the range are no neighbours. A centre
// of several points has that many kernels, which share the gap.
std::vector<double> kernel_widths(const std::vector<double>& centres, const std::vector<std::size_t>& counts,
                                  std::size_t points) {
  const double least = kLeastWidth / std::min(100.0, static_cast<double>(points) + 2);
  std::vector<double> widths;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    double gap = 0;
    if (i > 0) gap = centres[i] - centres[i - 1];
    if (i + 1 < centres.size()) gap = std::max(gap, centres[i + 1] - centres[i]);
    if (centres.size() == 1) gap = std::max(centres[i], 1 - centres[i]);
    widths.push_back(std::clamp(gap / static_cast<double>(counts[i]), least, 1.0));
  }
  return widths;
}

double mass_between(double centre, double width, double from, double to) {
  return std::max(normal_between((from - centre) / width, (to - centre) / width), kLeast);
}

}  // namespace

Parzen::Parzen(const SearchSpace& space, const std::vector<std::size_t>& dimensions, const std::vector<Point>& points) {
  double total = 1;  // the prior's weight
  for (const Point& point : points) total += point.weight;
  double sum = 0;
  for (const Point& point : points) {
    sum += point.weight / total;
    cumulative_.push_back(sum);
    log_weights_.push_back(portable_log(std::max(point.weight / total, kLeast)));
  }
  cumulative_.push_back(1);
  log_weights_.push_back(portable_log(1 / total));
  for (const std::size_t index : dimensions) {
    axes_.push_back(make_axis(space, index, points));
  }
}

Parzen::Axis Parzen::make_axis(const SearchSpace& space, std::size_t index, const std::vector<Point>& points) const {
  Axis axis;
  axis.dimension = &space.dimensions[index];
  axis.index = index;
  axis.is_discrete = is_discrete(*axis.dimension);
  for (const Point& point : points) axis.centres.push_back((*point.units)[index]);
  std::sort(axis.centres.begin(), axis.centres.end());
  axis.centres.erase(std::unique(axis.centres.begin(), axis.centres.end()), axis.centres.end());
  for (const Point& point : points) {
    const auto at = std::lower_bound(axis.centres.begin(), axis.centres.end(), (*point.units)[index]);
    axis.centre_of.push_back(static_cast<std::uint32_t>(at - axis.centres.begin()));
  }
  std::vector<std::size_t> counts(axis.centres.size());
  for (const std::uint32_t centre : axis.centre_of) ++counts[centre];
  axis.widths = kernel_widths(axis.centres, counts, points.size());
  for (std::size_t i = 0; i < axis.centres.size(); ++i) {
    axis.log_mass.push_back(portable_log(mass_between(axis.centres[i], axis.widths[i], 0, 1)));
    axis.log_width.push_back(portable_log(axis.widths[i]));
  }
  if (is_categorical(*axis.dimension)) {
    axis.categories = axis.dimension->choices.size();
    const double prior = 1 / static_cast<double>(points.size() + 1);
    const double total = 1 + prior * static_cast<double>(axis.categories);
    axis.keep = portable_log((1 + prior) / total);
    axis.leave = portable_log(prior / total);
  }
  return axis;
}

double Parzen::draw_on(const Axis& axis, Draws& draws, std::size_t point) const {
  const bool is_prior = point == axis.centre_of.size();
  const double own = is_prior ? kPriorCentre : axis.centres[axis.centre_of[point]];
  const double u = draws.unit();
  double unit = u;
  if (axis.categories > 0) {
    // The kernel's own value, or any with what is left.
    const double any = is_prior ? 1 : static_cast<double>(axis.categories) * portable_exp(axis.leave);
    unit = u < any ? u / any : own;
  } else {
    const double width = is_prior ? kPriorWidth : axis.widths[axis.centre_of[point]];
    const double from = normal_cdf(-own / width);
    const double to = normal_cdf((1 - own) / width);
    unit = std::clamp(own + width * normal_quantile(from + u * (to - from)), 0.0, 1.0);
  }
  return axis.is_discrete ? cell_middle(*axis.dimension, unit) : unit;
}

void Parzen::draw(Draws& draws, std::vector<double>& units) const {
  const double u = draws.unit();
  const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end(), u);
  const auto point = static_cast<std::size_t>(std::min(at, cumulative_.end() - 1) - cumulative_.begin());
  for (const Axis& axis : axes_) units[axis.index] = draw_on(axis, draws, point);
}

void Parzen::log_kernels(const Axis& axis, double unit, std::vector<double>& answer) const {
  answer.clear();
  if (axis.categories > 0) {
    const Cell cell = cell_at(*axis.dimension, unit);
    for (const double centre : axis.centres) {
      answer.push_back(centre >= cell.from && centre < cell.to ? axis.keep : axis.leave);
    }
    answer.push_back(-portable_log(static_cast<double>(axis.categories)));
    return;
  }
  const double prior_mass = mass_between(kPriorCentre, kPriorWidth, 0, 1);
  if (axis.is_discrete) {
    const Cell cell = cell_at(*axis.dimension, unit);
    for (std::size_t i = 0; i < axis.centres.size(); ++i) {
      answer.push_back(portable_log(mass_between(axis.centres[i], axis.widths[i], cell.from, cell.to)) - axis.log_mass[i]);
    }
    answer.push_back(portable_log(mass_between(kPriorCentre, kPriorWidth, cell.from, cell.to) / prior_mass));
    return;
  }
  for (std::size_t i = 0; i < axis.centres.size(); ++i) {
    const double z = (unit - axis.centres[i]) / axis.widths[i];
    answer.push_back(-0.5 * z * z - kLogSqrtTwoPi - axis.log_width[i] - axis.log_mass[i]);
  }
  const double z = (unit - kPriorCentre) / kPriorWidth;
  answer.push_back(-0.5 * z * z - kLogSqrtTwoPi - portable_log(kPriorWidth * prior_mass));
}

double Parzen::log_density(const std::vector<double>& units) const {
  std::vector<double> logs = log_weights_;
  std::vector<double> kernels;
  for (const Axis& axis : axes_) {
    log_kernels(axis, units[axis.index], kernels);
    for (std::size_t p = 0; p + 1 < logs.size(); ++p) logs[p] += kernels[axis.centre_of[p]];
    logs.back() += kernels.back();
  }
  const double largest = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double each : logs) sum += portable_exp(each - largest);
  return largest + portable_log(sum);
}

}  // namespace roost
