#include "sweeps/pbt.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sweeps/dimension_values.h"
#include "sweeps/draws.h"
#include "sweeps/number_text.h"

namespace roost {
namespace {

constexpr std::uint64_t kPurpose = 0x706274;  // "pbt": samplers draw for the same numbers

// floor(quantile * n); 0.1 * 30 may come out a little below 3.
std::size_t quantile_of(const PolicySettings& policy, std::size_t n) {
  return static_cast<std::size_t>(std::floor(policy.quantile * static_cast<double>(n) + 1e-9));
}

double value_at_interval(const Trial& trial, std::int64_t interval) {
  return trial.values[static_cast<std::size_t>(interval - 1)];
}

// The population at this interval, best first, NaN last, equal ones as they stand.
std::vector<std::size_t> ranked(Goal goal, const std::vector<Trial>& trials, std::int64_t interval) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (is_pending(trials[i]) && intervals_of(trials[i]) >= interval) out.push_back(i);
  }
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    const double left = value_at_interval(trials[a], interval);
    const double right = value_at_interval(trials[b], interval);
    return is_better(goal, left, right) || (std::isnan(right) && !std::isnan(left));
  });
  return out;
}

Json neighbour(const Dimension& dimension, const Json& value, bool up) {
  const auto count = value_count(dimension);
  const auto number = number_of_value(dimension, value);
  if (!count || !number) return value;
  if (up) return value_number(dimension, std::min(*number + 1, *count - 1));
  return value_number(dimension, *number == 0 ? 0 : *number - 1);
}

Json scaled(const Dimension& dimension, const Json& value, bool up) {
  const double number = value.get<double>();
  const double wanted = number * (up ? 1.2 : 0.8);
  if (!(dimension.q > 0)) {
    return std::clamp(wanted, value_at(dimension, 0).get<double>(), value_at(dimension, 1).get<double>());
  }
  const double steps = std::nearbyint(number / dimension.q);
  double target = std::nearbyint(wanted / dimension.q);
  if (target == steps) target += up ? 1 : -1;
  const auto unit = unit_of(dimension, target * dimension.q);
  return unit ? value_at(dimension, *unit) : value;
}

Json perturbed(const Dimension& dimension, const Json& value, bool up) {
  if (dimension.expression == Expression::kChoice || dimension.expression == Expression::kRandint) {
    return neighbour(dimension, value, up);
  }
  return scaled(dimension, value, up);
}

// Three draws for each dimension, used or not, so that one does not move those of the next.
Json perturbed_parameters(const SearchSpace& space, double resample_probability, const Json& source, Draws draws) {
  Json out = Json::object();
  for (const Dimension& dimension : space.dimensions) {
    const bool resamples = draws.unit() < resample_probability;
    const bool up = draws.unit() < 0.5;
    const double unit = draws.unit();
    if (!is_active(dimension, out)) continue;
    const Json& value = member(source, dimension.name);
    const bool is_known = !value.is_null() && unit_of(dimension, value).has_value();
    out[dimension.name] = resamples || !is_known ? value_at(dimension, unit) : perturbed(dimension, value, up);
  }
  return out;
}

}  // namespace

std::optional<HandOver> hand_over(const PolicySettings& policy, const SearchSpace& space, Goal goal,
                                  const std::vector<Trial>& trials, std::size_t index, std::int64_t interval,
                                  std::uint64_t seed) {
  const Trial& own = trials[index];
  if (policy.type != PolicyType::kPbt || interval % policy.interval != 0 || intervals_of(own) < interval) return std::nullopt;
  const auto order = ranked(goal, trials, interval);
  const std::size_t some = quantile_of(policy, order.size());
  const auto place = static_cast<std::size_t>(std::find(order.begin(), order.end(), index) - order.begin());
  if (place == order.size() || place < order.size() - some) return std::nullopt;
  const double value = value_at_interval(own, interval);
  std::vector<std::size_t> sources;
  for (std::size_t i = 0; i < some; ++i) {
    const double other = value_at_interval(trials[order[i]], interval);
    const bool is_ahead = is_better(goal, other, value) || (std::isnan(value) && !std::isnan(other));
    if (is_ahead && trials[order[i]].state == TrialState::kRunning) sources.push_back(order[i]);
  }
  if (sources.empty()) return std::nullopt;
  Draws draws(mix(seed, static_cast<std::uint64_t>(own.number), static_cast<std::uint64_t>(interval), kPurpose));
  const Trial& source = trials[sources[draws.below(sources.size())]];
  const std::string worst = some == 1 ? "the worst" : fmt::format("among the worst {}", some);
  return HandOver{source.number, perturbed_parameters(space, policy.resample_probability, source.parameters, draws),
                  fmt::format("stopped at interval {}: {} is {} of {}; a copy of trial {} ({}) takes its place", interval,
                              std::isnan(value) ? "NaN" : clause_number(value), worst, order.size(), source.number,
                              clause_number(value_at_interval(source, interval)))};
}

std::int64_t least_population(const PolicySettings& policy) {
  std::size_t n = 2;
  while (quantile_of(policy, n) == 0) ++n;
  return static_cast<std::int64_t>(n);
}

}  // namespace roost
