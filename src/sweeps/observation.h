#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace roost {

// A trial as samplers that learn see it: a point in [0, 1] for each dimension, and what came of it. The less the better.
struct Observation {
  enum Kind {
    kComplete,
    kStopped,  // by a policy, a pause or by hand: `value` is the best of a part of the training
    kPending,  // no value yet
  };
  Kind kind = kPending;
  std::vector<double> units;  // NaN where a dimension does not exist
  double value = 0;           // finite
  std::int64_t intervals = 0;
};

// By number of the trial. Those that cannot teach are left out: failed ones, ones without a value, ones of another space.
using Observations = std::map<std::int64_t, Observation>;

}  // namespace roost
