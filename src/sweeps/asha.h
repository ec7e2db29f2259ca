#pragma once

#include "sweeps/rungs.h"

namespace roost {

// Asynchronous successive halving (Li et al. 2018). Rungs are at min, min * eta, min * eta^2, ... intervals, below max.
//
// With pauses, as in the paper: a trial that comes to a rung goes on if it is one of the best floor(n / eta) of the n that have
// come there so far, and pauses if not. Whenever there is room, the best paused trial that is among them by now is
// resumed, from the highest rung down; if there is none, a new trial is drawn.
// The first to come have few to be compared with, and the paper sends on too many of them: of 243 simulated trials 2.2 in the
// mean ran to the end. So as long as the sweep draws more, a rung sends on at most floor(4/3 * floor(n / eta)); what that holds
// back goes on afterwards if it is among the best then.
// When the sweep draws no more, nothing runs and nobody has earned it, the best paused trial of the highest rung goes on unless
// one went on from there, and so on until one has reached the top: as at the end of successive halving, where a rung sends on
// max(1, floor(n / eta)). The rest is stopped.
// A trial that fails or is canceled keeps its rank at the rungs it has reached; only that last rule passes it over.
//
// Without pauses a trial is stopped at a rung unless it is among the best max(1, floor(n / eta)) of those seen there.
//
// A trial that is past the last rung runs to its own end, also beyond max_intervals: it may have a model to write.
// NaN at a rung is never among the best.
Ladder asha_ladder(const PolicySettings& policy);

}  // namespace roost
