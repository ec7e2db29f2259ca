#include "sweeps/suggester.h"

#include <algorithm>
#include <cmath>

#include "sweeps/dimension_values.h"
#include "sweeps/draw_context.h"
#include "sweeps/gp_sampler.h"
#include "sweeps/grid_sampler.h"
#include "sweeps/random_sampler.h"
#include "sweeps/sobol_sampler.h"
#include "sweeps/tpe_sampler.h"

namespace roost {
namespace {

constexpr double kLargest = 1e300;  // an infinite value is as far as a number can be

std::optional<Observation> observe(const SearchSpace& space, Goal goal, const Trial& trial) {
  if (trial.state == TrialState::kFailed) return std::nullopt;
  auto units = units_of(space, trial.parameters);
  if (!units) return std::nullopt;
  Observation seen;
  seen.units = std::move(*units);
  if (is_pending(trial)) return seen;
  const auto best = best_value(trial, goal);
  if (!best) return std::nullopt;
  seen.kind = trial.state == TrialState::kCompleted ? Observation::kComplete : Observation::kStopped;
  seen.value = std::clamp(goal == Goal::kMaximize ? -*best : *best, -kLargest, kLargest);
  seen.intervals = intervals_of(trial);
  return seen;
}

}  // namespace

struct Suggester::State {
  State(SamplingSettings given, SearchSpace its_space, Goal its_goal)
      : settings(std::move(given)), space(std::move(its_space)), goal(its_goal), used(space) {}

  SamplingSettings settings;
  SearchSpace space;
  Goal goal;
  UsedConfigurations used;
  bool is_finite = space.size().has_value();
  bool learns = settings.type == "tpe" || settings.type == "gp";
  Observations observations;
  std::map<std::int64_t, Json> parameters;  // of a finite space: what `used` has of each trial
};

Suggester::Suggester(SamplingSettings settings, SearchSpace space, Goal goal)
    : state_(std::make_unique<State>(std::move(settings), std::move(space), goal)) {}
Suggester::Suggester(Suggester&&) noexcept = default;
Suggester& Suggester::operator=(Suggester&&) noexcept = default;
Suggester::~Suggester() = default;

void Suggester::put(const Trial& trial) {
  State& state = *state_;
  if (state.is_finite) {
    const auto [at, is_new] = state.parameters.try_emplace(trial.number, trial.parameters);
    if (is_new) {
      state.used.add(trial.parameters);
    } else if (at->second != trial.parameters) {
      state.used.remove(at->second);
      state.used.add(trial.parameters);
      at->second = trial.parameters;
    }
  }
  if (!state.learns) return;
  if (auto seen = observe(state.space, state.goal, trial)) {
    state.observations.insert_or_assign(trial.number, std::move(*seen));
  } else {
    state.observations.erase(trial.number);
  }
}

std::optional<Json> Suggester::suggest(std::int64_t number) const {
  const State& state = *state_;
  if (state.used.all()) return std::nullopt;
  const DrawContext context{state.space, state.observations, state.used, state.settings.seed, number};
  if (state.settings.type == "grid") return draw_grid(context);
  if (state.settings.type == "sobol") return draw_sobol(context);
  if (state.settings.type == "tpe") return draw_tpe(context);
  if (state.settings.type == "gp") return draw_gp(context);
  return draw_random(context);
}

}  // namespace roost
