#include "sweeps/gp_search.h"

#include <algorithm>
#include <cmath>

#include "sweeps/dimension_values.h"
#include "sweeps/draws.h"
#include "sweeps/minimise.h"
#include "sweeps/normal.h"
#include "sweeps/portable_math.h"
#include "sweeps/sobol_sequence.h"

namespace roost {
namespace {

using Units = std::vector<double>;
using Index = Eigen::Index;

constexpr std::uint32_t kSobolPoints = 512;
constexpr std::size_t kAroundEach = 24;
constexpr std::size_t kStarts = 6;
constexpr int kRounds = 2;               // of continuous, then discrete dimensions
constexpr std::uint64_t kMostTried = 16;  // values of a discrete dimension

struct Found {
  Units units;
  double score = 0;  // logarithm of the expected improvement
};

double log_expected_improvement(double best, const GaussianProcess::Belief& belief) {
  const double deviation = std::sqrt(belief.variance);
  return portable_log(deviation) + log_improvement((best - belief.mean) / deviation).value;
}

class Searching {
 public:
  explicit Searching(const GpSearch& search) : search_(search), draws_(mix(search.seed, 1)) {
    for (const Dimension& dimension : search.space.dimensions) {
      discrete_.push_back(is_discrete(dimension));
      has_continuous_ = has_continuous_ || !discrete_.back();
    }
  }

  std::optional<Units> run() {
    std::vector<Found> found = candidates();
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.score > b.score; });
    const std::size_t starts = std::min(kStarts, found.size());
    for (std::size_t i = 0; i < starts; ++i) improve(found[i]);
    std::vector<Found> all = std::move(visited_);
    all.insert(all.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.score > b.score; });
    for (Found& each : all) {
      if (search_.allows(each.units)) return std::move(each.units);
    }
    return std::nullopt;
  }

 private:
  // Discrete dimensions to the middle of a cell.
  void round(Units& units) const {
    for (std::size_t i = 0; i < units.size(); ++i) {
      units[i] = std::clamp(units[i], 0.0, 1.0);
      if (discrete_[i]) units[i] = middle(i, units[i]);
    }
  }
  double middle(std::size_t i, double unit) const { return cell_middle(search_.space.dimensions[i], unit); }

  std::vector<Found> candidates() {
    const std::size_t dimensions = discrete_.size();
    std::vector<Found> found;
    std::vector<std::uint32_t> shift;
    for (std::size_t i = 0; i < dimensions; ++i) shift.push_back(static_cast<std::uint32_t>(mix(search_.seed, 2, i)));
    for (std::uint32_t p = 0; p < kSobolPoints; ++p) {
      Units units(dimensions);
      for (std::size_t i = 0; i < dimensions; ++i) units[i] = unit_from_bits(sobol_bits(i % kMostSobolDimensions, p) ^ shift[i]);
      round(units);
      found.push_back({std::move(units), 0});
    }
    for (const Units& good : search_.good) {
      for (std::size_t k = 0; k < kAroundEach; ++k) found.push_back({near(good, k), 0});
    }
    Eigen::MatrixXd points(static_cast<Index>(found.size()), static_cast<Index>(dimensions));
    for (std::size_t p = 0; p < found.size(); ++p) {
      for (std::size_t i = 0; i < dimensions; ++i) points(static_cast<Index>(p), static_cast<Index>(i)) = found[p].units[i];
    }
    const auto beliefs = search_.process.at_all(points);
    for (std::size_t p = 0; p < found.size(); ++p) found[p].score = log_expected_improvement(search_.best, beliefs[p]);
    return found;
  }

  // At a distance that is another one each time, some dimensions unchanged.
  Units near(const Units& good, std::size_t k) {
    constexpr double kDistances[] = {0.2, 0.05, 0.01, 0.002};
    const double distance = kDistances[k % 4];
    Units units = good;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const double change = draws_.normal();
      const bool stays = draws_.unit() < 0.3;
      if (is_categorical(search_.space.dimensions[i])) {
        const double other = draws_.unit();
        if (draws_.unit() < 0.2) units[i] = other;
      } else if (!stays) {
        units[i] += distance * change;
      }
    }
    round(units);
    return units;
  }

  void improve(const Found& start) {
    Found at = start;
    for (int round = 0; round < kRounds; ++round) {
      const double before = at.score;
      if (has_continuous_) at = along_slope(at);
      for (std::size_t i = 0; i < discrete_.size(); ++i) {
        if (discrete_[i]) along_values(at, i);
      }
      if (at.score <= before + 1e-6 || !has_discrete()) break;
    }
    visited_.push_back(std::move(at));
  }
  bool has_discrete() const { return std::find(discrete_.begin(), discrete_.end(), true) != discrete_.end(); }

  Found along_slope(const Found& start) {
    Units lower(discrete_.size(), 0.0);
    Units upper(discrete_.size(), 1.0);
    for (std::size_t i = 0; i < discrete_.size(); ++i) {
      if (discrete_[i]) lower[i] = upper[i] = start.units[i];
    }
    GaussianProcess::Slopes slopes;
    const auto slope = [&](const Units& point, Units& gradient) {
      const auto belief = search_.process.at(point, slopes);
      const double deviation = std::sqrt(belief.variance);
      const double z = (search_.best - belief.mean) / deviation;
      const LogImprovement improvement = log_improvement(z);
      for (std::size_t i = 0; i < point.size(); ++i) {
        const double widens = slopes.variance[i] / (2 * belief.variance);  // by part
        gradient[i] = -(widens + improvement.slope * (-slopes.mean[i] / deviation - z * widens));
      }
      return -(portable_log(deviation) + improvement.value);
    };
    Minimum found = minimise(slope, start.units, lower, upper, {25, 1e-3});
    return {std::move(found.point), -found.value};
  }

  // All values of a dimension if they are few, else some neighbours and some from all over.
  void along_values(Found& at, std::size_t i) {
    const Dimension& dimension = search_.space.dimensions[i];
    Units tried;
    const auto count = value_count(dimension);
    if (count && *count <= kMostTried) {
      for (std::uint64_t v = 0; v < *count; ++v) tried.push_back(*unit_of(dimension, value_number(dimension, v)));
    } else {
      const Cell cell = cell_at(dimension, at.units[i]);
      const double step = std::max(cell.to - cell.from, 1e-6);
      for (const double far : {-4.0, -2.0, -1.0, 1.0, 2.0, 4.0}) {
        tried.push_back(middle(i, std::clamp(at.units[i] + far * step, 0.0, 1.0)));
      }
      for (int k = 0; k < 6; ++k) tried.push_back(middle(i, draws_.unit()));
    }
    const double own = at.units[i];
    Found best = at;
    for (const double unit : tried) {
      if (unit == own) continue;
      Found other = at;
      other.units[i] = unit;
      other.score = log_expected_improvement(search_.best, search_.process.at(other.units));
      if (other.score > best.score) best = other;
      visited_.push_back(std::move(other));
    }
    at = std::move(best);
  }

  const GpSearch& search_;
  Draws draws_;
  std::vector<bool> discrete_;
  bool has_continuous_ = false;
  std::vector<Found> visited_;
};

}  // namespace

std::optional<std::vector<double>> best_point(const GpSearch& search) { return Searching(search).run(); }

}  // namespace roost
