#pragma once

#include <string>

#include "domain/compute.h"
#include "execute/execute_parts.h"
#include "records/attempt_records.h"

namespace roost {

// The node will not be heard of again: its share of a run is lost, the run's other nodes are told, and
// whatever still comes from it is refused.
Status lose_node(const ExecuteParts& execute, const Node& node, const std::string& reason);

// The node answers, but nothing will come of its part of an attempt: the part is lost, and the node, which cannot
// be relied on, leaves.
Status give_up_part(const ExecuteParts& execute, const AttemptPart& part, const std::string& reason);

}  // namespace roost
