#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/policy.h"

namespace roost {

// The rungs that trials climb in successive halving, and who climbs them.
struct Ladder {
  std::vector<std::int64_t> rungs;      // intervals, rising
  std::int64_t eta = 3;                 // one of so many goes on from a rung
  std::optional<std::int64_t> bracket;  // of hyperband, for texts
  // Of every `round` trials, by number, those from place `begin` up to `end` climb it. Trials of earlier sweeps are seen on
  // every ladder.
  std::int64_t round = 1;
  std::int64_t begin = 0;
  std::int64_t end = 1;

  bool has(const Trial& trial) const {
    const std::int64_t place = trial.number % round;
    return trial.number < 0 || (place >= begin && place < end);
  }
  std::optional<std::size_t> rung_at(std::int64_t interval) const;  // whose interval is just that
  std::optional<std::size_t> rung_of(const Trial& trial) const;     // the highest that it has reached
};

// How a trial stands at a rung among those of its ladder that have reached it. The value logged at the rung counts, not the
// best so far: that one keeps trials which the paper stops. NaN is the worst. Equal trials rank as they stand in the list.
struct Standing {
  std::size_t rung = 0;
  std::int64_t interval = 0;
  double value = 0;
  std::size_t reached = 0;  // n, itself included
  std::size_t better = 0;   // strictly
  std::size_t rank = 0;     // from 1
  std::size_t places = 0;   // floor(n / eta)
  std::size_t gone_on = 0;  // others of this sweep that have gone on from here
};
Standing standing_at(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials, std::size_t index, std::size_t rung);
// The value of the last of so many best ones at a rung; `places` from 1 to the number that reached it.
double cut_at(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials, std::size_t rung, std::size_t places);

// Stops a trial at a rung unless it is as good as the last of the best max(1, floor(n / eta)) there, or if it has NaN there.
Verdict stop_at_rung(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                     std::int64_t interval);
// Pauses a trial at a rung unless it is one of the best floor(n / eta) there and not too many have gone on: then it goes on
// without a break.
Verdict pause_at_rung(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials, std::size_t index,
                      std::int64_t interval);
// From the highest rung down, the best paused trial that is one of the best floor(n / eta) of its rung, if not too many have
// gone on from there: floor(4/3 * floor(n / eta)) while the sweep draws more.
std::optional<std::int64_t> next_promotion(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials,
                                           bool draws_more);
// The best paused trial of the highest rung that a trial of this sweep has reached, if none has gone on from there.
std::optional<std::int64_t> last_promotion(const Ladder& ladder, std::int64_t max_intervals, Goal goal,
                                           const std::vector<Trial>& trials);
Verdict stop_rest(const Ladder& ladder, Goal goal, const std::vector<Trial>& trials, std::size_t index);

}  // namespace roost
