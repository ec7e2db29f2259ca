#pragma once

#include <map>
#include <string>
#include <utility>

#include "schedule/plan.h"

namespace roost {

// Remembers plans that gave nodes to nobody. As long as nothing has changed, time alone does not allow what
// was not allowed before: the time before a reservation only gets shorter. So a long queue is looked at once
// for each change and not whenever the control loop wakes.
class PlanMemory {
 public:
  // The plan for the view, from memory as far as that is still good.
  Plan plan(const ComputeView& view, Micros now);

 private:
  struct Last {
    ComputeView view;
    std::uint64_t version = 0;
    Plan plan;
  };
  std::map<std::pair<std::string, std::string>, Last> last_;  // by workspace and compute
};

}  // namespace roost
