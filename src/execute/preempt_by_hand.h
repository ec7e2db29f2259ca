#pragma once

#include <string>

#include "execute/execute_parts.h"
#include "records/placement.h"

namespace roost {

// By hand what a dedicated run does to a low-priority compute when the machine is full: takes the node of that id, or
// all if it is "". Only low-priority computes have nodes that are taken.
Result<Preempted> preempt_by_hand(const ExecuteParts& execute, const std::string& workspace, const std::string& compute,
                                  const std::string& node);

}  // namespace roost
