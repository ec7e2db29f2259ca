#include "sweeps/tpe_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sweeps/dimension_values.h"
#include "sweeps/parzen.h"
#include "sweeps/random_sampler.h"
#include "sweeps/sobol_sampler.h"

namespace roost {
namespace {

constexpr std::size_t kStartup = 10;
constexpr std::size_t kCandidates = 48;
constexpr std::size_t kMostGood = 25;
constexpr std::size_t kNewest = 25;  // so many of the other trials have full weight
constexpr std::uint64_t kAttempts = 4;

using Ranked = std::vector<const Observation*>;

// Dimensions that exist together.
std::vector<std::vector<std::size_t>> groups_of(const SearchSpace& space) {
  std::vector<std::vector<std::size_t>> groups;
  const auto same = [&](std::size_t a, std::size_t b) {
    const auto& first = space.dimensions[a].when;
    const auto& second = space.dimensions[b].when;
    if (!first || !second) return !first && !second;
    return first->name == second->name && first->values == second->values;
  };
  for (std::size_t i = 0; i < space.dimensions.size(); ++i) {
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return same(group[0], i); });
    if (found != groups.end()) {
      found->push_back(i);
    } else {
      groups.push_back({i});
    }
  }
  return groups;
}

bool ranks_before(const Observation* a, const Observation* b) {
  if (a->kind != b->kind) return a->kind < b->kind;
  if (a->kind == Observation::kStopped && a->intervals != b->intervals) return a->intervals > b->intervals;
  return a->value < b->value;
}

std::size_t good_count(std::size_t results) { return std::min((results + 9) / 10, kMostGood); }

// 1 for the newest, from there down to 1 / n for the oldest.
std::vector<double> weights(std::size_t count) {
  std::vector<double> answer(count, 1.0);
  if (count <= kNewest) return answer;
  const std::size_t ramp = count - kNewest;
  const double least = 1 / static_cast<double>(count);
  for (std::size_t i = 0; i < ramp; ++i) {
    answer[i] = ramp == 1 ? least : least + (1 - least) * static_cast<double>(i) / static_cast<double>(ramp - 1);
  }
  return answer;
}

struct Densities {
  Parzen good;
  Parzen other;
};

Densities estimate(const DrawContext& context, const std::vector<std::size_t>& group) {
  Ranked results;
  for (const auto& [number, seen] : context.observations) {
    if (seen.kind != Observation::kPending && !std::isnan(seen.units[group[0]])) results.push_back(&seen);
  }
  std::stable_sort(results.begin(), results.end(), ranks_before);
  results.resize(good_count(results.size()));
  std::vector<Parzen::Point> good;
  std::vector<Parzen::Point> other;
  for (const auto& [number, seen] : context.observations) {
    if (std::isnan(seen.units[group[0]])) continue;
    const bool is_good = std::find(results.begin(), results.end(), &seen) != results.end();
    (is_good ? good : other).push_back({&seen.units, 1});
  }
  const std::vector<double> weight = weights(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) other[i].weight = weight[i];
  return {Parzen(context.space, group, good), Parzen(context.space, group, other)};
}

class TpeDraw {
 public:
  TpeDraw(const DrawContext& context, std::uint64_t attempt)
      : context_(context), draws_(context.draws(attempt)), units_(context.space.dimensions.size(), 0.5) {}

  std::optional<Json> run() {
    const auto groups = groups_of(context_.space);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (!is_active(context_.space.dimensions[groups[g][0]], parameters_)) continue;
      if (!choose(groups, g)) return std::nullopt;
    }
    return parameters_;
  }

 private:
  // The best candidate for a group that does not lead to a configuration that is used.
  bool choose(const std::vector<std::vector<std::size_t>>& groups, std::size_t g) {
    const Densities densities = estimate(context_, groups[g]);
    double best = -std::numeric_limits<double>::infinity();
    std::optional<Json> chosen;
    for (std::size_t candidate = 0; candidate < kCandidates; ++candidate) {
      densities.good.draw(draws_, units_);
      const double score = densities.good.log_density(units_) - densities.other.log_density(units_);
      if (chosen && !(score > best)) continue;
      Json parameters = parameters_;
      for (const std::size_t i : groups[g]) {
        const Dimension& dimension = context_.space.dimensions[i];
        parameters[dimension.name] = value_at(dimension, units_[i]);
      }
      if (is_whole(groups, g, parameters) && context_.used.has(parameters)) continue;
      best = score;
      chosen = std::move(parameters);
    }
    if (chosen) parameters_ = std::move(*chosen);
    return chosen.has_value();
  }

  bool is_whole(const std::vector<std::vector<std::size_t>>& groups, std::size_t g, const Json& parameters) const {
    return std::none_of(groups.begin() + static_cast<std::ptrdiff_t>(g) + 1, groups.end(), [&](const auto& group) {
      return is_active(context_.space.dimensions[group[0]], parameters);
    });
  }

  const DrawContext& context_;
  Draws draws_;
  std::vector<double> units_;
  Json parameters_ = Json::object();
};

}  // namespace

std::optional<Json> draw_tpe(const DrawContext& context) {
  if (context.used.all()) return std::nullopt;
  const auto results = std::count_if(context.observations.begin(), context.observations.end(),
                                     [](const auto& each) { return each.second.kind != Observation::kPending; });
  if (static_cast<std::size_t>(results) < kStartup) return draw_sobol(context);
  for (std::uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    if (auto parameters = TpeDraw(context, attempt).run()) return parameters;
  }
  return draw_random(context);
}

}  // namespace roost
