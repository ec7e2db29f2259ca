#include "sweeps/rungs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sweeps/number_text.h"

namespace roost {
namespace {

double raw_value(const Trial& trial, std::int64_t interval) { return trial.values[static_cast<std::size_t>(interval - 1)]; }

double value_at(const Trial& trial, Goal goal, std::int64_t interval) {
  const double value = raw_value(trial, interval);
  if (!std::isnan(value)) return value;
  return goal == Goal::kMaximize ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

bool is_at(const Ladder& ladder, const Trial& trial, std::size_t rung) {
  return intervals_of(trial) >= ladder.rungs[rung] && ladder.has(trial);
}

bool waits_at(const Ladder& ladder, const Trial& trial, std::size_t rung) {
  return trial.state == TrialState::kPaused && ladder.rung_of(trial) == rung;
}

// Has been sent on from a rung that it has reached. One that runs and has logged nothing since may be on its way to a pause.
bool has_gone_on(const Ladder& ladder, const Trial& trial, std::size_t rung) {
  if (trial.number < 0 || waits_at(ladder, trial, rung)) return false;
  const bool has_left = trial.state == TrialState::kWaiting || trial.state == TrialState::kCompleted;
  return has_left || intervals_of(trial) > ladder.rungs[rung];
}

bool is_full(std::size_t places, std::size_t gone_on) { return gone_on >= 4 * places / 3; }

// The rung, its interval and where a sentence goes on: "stopped at interval 9 (rung 2): ".
std::string where(const char* what, const Ladder& ladder, std::size_t rung) {
  const std::string bracket = ladder.bracket ? fmt::format(" of bracket {}", *ladder.bracket) : "";
  return fmt::format("{} at interval {} (rung {}{}): ", what, ladder.rungs[rung], rung, bracket);
}

std::string best_of(std::size_t places, std::size_t reached) {
  return places == 1 ? fmt::format("the best of {}", reached) : fmt::format("the best {} of {}", places, reached);
}

constexpr const char* kNoNumber = "its value there is NaN, which is never among the best";

}  // namespace

std::optional<std::size_t> Ladder::rung_at(std::int64_t interval) const {
  const auto found = std::lower_bound(rungs.begin(), rungs.end(), interval);
  if (found == rungs.end() || *found != interval) return std::nullopt;
  return static_cast<std::size_t>(found - rungs.begin());
}

std::optional<std::size_t> Ladder::rung_of(const Trial& trial) const {
  const auto above = std::upper_bound(rungs.begin(), rungs.end(), intervals_of(trial));
  if (above == rungs.begin()) return std::nullopt;
  return static_cast<std::size_t>(above - rungs.begin()) - 1;
}

Standing standing_at(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials, std::size_t index, std::size_t rung) {
  Standing out;
  out.rung = rung;
  out.interval = ladder.rungs[rung];
  out.value = raw_value(trials[index], out.interval);
  const double own = value_at(trials[index], goal, out.interval);
  std::size_t equal_before = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!is_at(ladder, trials[i], rung)) continue;
    ++out.reached;
    if (i != index && has_gone_on(ladder, trials[i], rung)) ++out.gone_on;
    const double value = value_at(trials[i], goal, out.interval);
    if (is_better(goal, value, own)) ++out.better;
    if (i < index && value == own) ++equal_before;
  }
  out.rank = out.better + equal_before + 1;
  out.places = out.reached / static_cast<std::size_t>(ladder.eta);
  return out;
}

double cut_at(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials, std::size_t rung, std::size_t places) {
  std::vector<double> values;
  for (const Trial& trial : trials) {
    if (is_at(ladder, trial, rung)) values.push_back(value_at(trial, goal, ladder.rungs[rung]));
  }
  const auto last = values.begin() + static_cast<std::ptrdiff_t>(places) - 1;
  std::nth_element(values.begin(), last, values.end(), [&](double a, double b) { return is_better(goal, a, b); });
  return *last;
}

Verdict stop_at_rung(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                     std::int64_t interval) {
  const auto rung = ladder.rung_at(interval);
  if (!rung || intervals_of(trials[index]) < interval) return {};
  const std::string begin = where("stopped", ladder, *rung);
  const Standing own = standing_at(ladder, goal, trials, index, *rung);
  if (std::isnan(own.value)) return {Verdict::kStop, begin + kNoNumber};
  const std::size_t places = std::max<std::size_t>(own.places, 1);
  if (own.better < places) return {};
  const auto [value, cut] = compared_numbers(own.value, cut_at(ladder, goal, trials, *rung, places));
  return {Verdict::kStop, fmt::format("{}{} is {} the cut {} (rank {}, {} {} on)", begin, value,
                                      goal == Goal::kMaximize ? "below" : "above", cut, own.rank,
                                      best_of(places, own.reached), places == 1 ? "goes" : "go")};
}

Verdict pause_at_rung(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                      std::int64_t interval) {
  const auto rung = ladder.rung_at(interval);
  if (!rung || intervals_of(trials[index]) < interval) return {};
  const std::string begin = where("paused", ladder, *rung);
  const Standing own = standing_at(ladder, goal, trials, index, *rung);
  if (std::isnan(own.value)) return {Verdict::kPause, begin + kNoNumber};
  const bool is_among = own.rank <= own.places;
  if (is_among && !is_full(own.places, own.gone_on)) return {};
  if (own.places == 0) {
    return {Verdict::kPause, fmt::format("{}the best of {} goes on, and {} {} come so far", begin, ladder.eta, own.reached,
                                         own.reached == 1 ? "has" : "have")};
  }
  const auto [value, cut] = compared_numbers(own.value, cut_at(ladder, goal, trials, *rung, own.places));
  const std::string best = (own.places == 1 ? "" : "among ") + best_of(own.places, own.reached);
  if (is_among) {
    return {Verdict::kPause, fmt::format("{}{} is {}, but {} went on already (rank {}, cut {})", begin, value, best,
                                         own.gone_on, own.rank, cut)};
  }
  return {Verdict::kPause, fmt::format("{}{} is not {} yet (rank {}, cut {})", begin, value, best, own.rank, cut)};
}

std::optional<std::int64_t> next_promotion(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials,
                                           bool draws_more) {
  struct Place {
    double value;
    std::size_t index;
  };
  const auto before = [&](const Place& a, const Place& b) {
    return a.value == b.value ? a.index < b.index : is_better(goal, a.value, b.value);
  };
  std::vector<Place> reached;
  for (std::size_t rung = ladder.rungs.size(); rung-- > 0;) {
    reached.clear();
    bool has_paused = false;
    std::size_t gone_on = 0;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (!is_at(ladder, trials[i], rung)) continue;
      reached.push_back({value_at(trials[i], goal, ladder.rungs[rung]), i});
      has_paused |= waits_at(ladder, trials[i], rung);
      if (has_gone_on(ladder, trials[i], rung)) ++gone_on;
    }
    const std::size_t places = reached.size() / static_cast<std::size_t>(ladder.eta);
    if (!has_paused || places == 0 || (draws_more && is_full(places, gone_on))) continue;
    const auto end = reached.begin() + static_cast<std::ptrdiff_t>(places);
    std::nth_element(reached.begin(), end, reached.end(), before);
    std::optional<Place> best;
    for (auto place = reached.begin(); place != end; ++place) {
      const Trial& trial = trials[place->index];
      if (!waits_at(ladder, trial, rung) || std::isnan(raw_value(trial, ladder.rungs[rung]))) continue;
      if (!best || before(*place, *best)) best = *place;
    }
    if (best) return trials[best->index].number;
  }
  return std::nullopt;
}

std::optional<std::int64_t> last_promotion(const Ladder& ladder, std::int64_t max_intervals, Goal goal,
                                           const std::vector<Trial>& trials) {
  std::optional<std::size_t> highest;
  for (const Trial& trial : trials) {
    if (trial.number < 0 || !ladder.has(trial)) continue;
    if (const auto rung = ladder.rung_of(trial); rung && (!highest || *rung > *highest)) highest = rung;
  }
  if (!highest) return std::nullopt;
  const Trial* best = nullptr;
  double best_value = 0;
  for (const Trial& trial : trials) {
    if (trial.number < 0 || !is_at(ladder, trial, *highest)) continue;
    const bool has_ended_well = trial.state == TrialState::kCompleted || intervals_of(trial) >= max_intervals;
    if (is_pending(trial) || has_ended_well) return std::nullopt;
    const double value = raw_value(trial, ladder.rungs[*highest]);
    if (trial.state != TrialState::kPaused || std::isnan(value)) continue;
    if (best && !is_better(goal, value, best_value)) continue;
    best = &trial;
    best_value = value;
  }
  if (!best) return std::nullopt;
  return best->number;
}

Verdict stop_rest(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials, std::size_t index) {
  const auto rung = ladder.rung_of(trials[index]);
  if (!rung) return {Verdict::kStop, "stopped: the sweep ended before it had come to a rung"};
  const std::string begin = where("stopped", ladder, *rung);
  const Standing own = standing_at(ladder, goal, trials, index, *rung);
  if (std::isnan(own.value)) return {Verdict::kStop, begin + kNoNumber};
  const std::string end =
      fmt::format("{} had rank {} of {} when the sweep ended", clause_number(own.value), own.rank, own.reached);
  const std::size_t places = std::max<std::size_t>(own.places, 1);
  if (own.rank <= places) return {Verdict::kStop, begin + end};
  const std::string best = places == 1 ? "the best" : fmt::format("the best {}", places);
  return {Verdict::kStop, fmt::format("{}{}, and {} went on", begin, end, best)};
}

}  // namespace roost
