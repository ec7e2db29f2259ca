#include "sweeps/gp_sampler.h"

#include <algorithm>
#include <cmath>

#include "sweeps/dimension_values.h"
#include "sweeps/gaussian_process.h"
#include "sweeps/gp_search.h"
#include "sweeps/random_sampler.h"
#include "sweeps/sobol_sampler.h"
#include "sweeps/tpe_sampler.h"

namespace roost {
namespace {

using Index = Eigen::Index;

constexpr std::size_t kStartup = 10;
constexpr std::size_t kCoarse = 60;       // so many points suffice for a first idea of the kernel
constexpr std::size_t kMostPending = 64;  // the newest; beyond, a batch is as good as spread evenly
constexpr std::size_t kGood = 4;

struct Outcome {
  const std::vector<double>* units = nullptr;
  double value = 0;
};

// Best first.
std::vector<Outcome> results_of(const Observations& observations) {
  double worst = -std::numeric_limits<double>::infinity();
  for (const auto& [number, seen] : observations) {
    if (seen.kind == Observation::kComplete) worst = std::max(worst, seen.value);
  }
  std::vector<Outcome> results;
  for (const auto& [number, seen] : observations) {
    if (seen.kind == Observation::kPending) continue;
    const bool is_cut = seen.kind == Observation::kStopped && std::isfinite(worst);
    results.push_back({&seen.units, is_cut ? std::min(seen.value, worst) : seen.value});
  }
  std::stable_sort(results.begin(), results.end(), [](const Outcome& a, const Outcome& b) { return a.value < b.value; });
  return results;
}

// The best half, and of the others every so many.
std::vector<Outcome> thinned(std::vector<Outcome> results, std::size_t most) {
  if (results.size() <= most) return results;
  std::vector<Outcome> kept(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(most / 2));
  const std::size_t rest = results.size() - most / 2;
  const std::size_t wanted = most - most / 2;
  for (std::size_t i = 0; i < wanted; ++i) kept.push_back(results[most / 2 + i * rest / wanted]);
  return kept;
}

Eigen::MatrixXd points_of(const std::vector<const std::vector<double>*>& units, std::size_t dimensions) {
  Eigen::MatrixXd points(static_cast<Index>(units.size()), static_cast<Index>(dimensions));
  for (std::size_t r = 0; r < units.size(); ++r) {
    for (std::size_t d = 0; d < dimensions; ++d) points(static_cast<Index>(r), static_cast<Index>(d)) = (*units[r])[d];
  }
  return points;
}

// Mean 0 and variance 1; 0 if all are alike.
Eigen::VectorXd standardised(const std::vector<Outcome>& results) {
  const auto count = static_cast<double>(results.size());
  double size = 0;
  for (const Outcome& result : results) size = std::max(size, std::abs(result.value));
  if (size == 0) size = 1;
  double mean = 0;
  for (const Outcome& result : results) mean += result.value / size / count;
  double variance = 0;
  for (const Outcome& result : results) variance += (result.value / size - mean) * (result.value / size - mean) / count;
  const double deviation = variance > 1e-24 ? std::sqrt(variance) : 1;
  Eigen::VectorXd values(static_cast<Index>(results.size()));
  for (std::size_t i = 0; i < results.size(); ++i) values(static_cast<Index>(i)) = (results[i].value / size - mean) / deviation;
  return values;
}

GpData data_of(const std::vector<Outcome>& results, const SearchSpace& space) {
  GpData data;
  std::vector<const std::vector<double>*> units;
  for (const Outcome& result : results) units.push_back(result.units);
  data.points = points_of(units, space.dimensions.size());
  data.values = standardised(results);
  for (const Dimension& dimension : space.dimensions) data.is_categorical.push_back(is_categorical(dimension));
  return data;
}

Kernel kernel_for(const std::vector<Outcome>& results, const GpData& data, const SearchSpace& space) {
  Kernel kernel;
  kernel.weights.assign(space.dimensions.size(), 1.0);
  if (results.size() <= kCoarse) return fit_kernel(data, kernel, 40);
  kernel = fit_kernel(data_of(thinned(results, kCoarse), space), kernel, 30);
  return fit_kernel(data, kernel, 8);
}

Eigen::MatrixXd pending_points(const Observations& observations, std::size_t dimensions) {
  std::vector<const std::vector<double>*> units;
  for (auto at = observations.rbegin(); at != observations.rend() && units.size() < kMostPending; ++at) {
    if (at->second.kind == Observation::kPending) units.push_back(&at->second.units);
  }
  return points_of(units, dimensions);
}

// To try a point once more teaches less than to try one beside it; while it runs, one a little further away.
bool are_same(const Observation& seen, const std::vector<double>& units) {
  const double near = seen.kind == Observation::kPending ? 1e-3 : 1e-7;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (std::abs(seen.units[i] - units[i]) > near) return false;
  }
  return true;
}

}  // namespace

std::optional<Json> draw_gp(const DrawContext& context) {
  if (context.used.all()) return std::nullopt;
  if (context.space.is_conditional()) return draw_tpe(context);
  std::vector<Outcome> results = results_of(context.observations);
  if (results.size() < kStartup) return draw_sobol(context);
  const std::size_t affordable = 16 * kMostGpPoints / context.space.dimensions.size();
  results = thinned(std::move(results), std::clamp(affordable, kCoarse, kMostGpPoints));

  const GpData data = data_of(results, context.space);
  const Kernel kernel = kernel_for(results, data, context.space);
  const Eigen::MatrixXd pending = pending_points(context.observations, context.space.dimensions.size());
  const auto process = GaussianProcess::make(data, pending, kernel);
  if (!process) return draw_random(context);

  // With noise the best result is a lucky one; what the process believes of it is not. What runs is hoped to do as expected.
  double best = std::numeric_limits<double>::infinity();
  for (const auto& belief : process->at_all(data.points)) best = std::min(best, belief.mean);
  if (pending.rows() > 0) {
    for (const auto& belief : process->at_all(pending)) best = std::min(best, belief.mean);
  }
  GpSearch search{context.space, *process, best, {}, mix(context.seed, static_cast<std::uint64_t>(context.number)), {}};
  for (std::size_t i = 0; i < std::min(kGood, results.size()); ++i) search.good.push_back(*results[i].units);
  search.allows = [&](const std::vector<double>& units) {
    if (context.used.is_finite()) return !context.used.has(parameters_at(context.space, units));
    return std::none_of(context.observations.begin(), context.observations.end(),
                        [&](const auto& each) { return are_same(each.second, units); });
  };
  const auto units = best_point(search);
  if (!units) return draw_random(context);
  return parameters_at(context.space, *units);
}

}  // namespace roost
