#pragma once

#include <stop_token>

#include "keeping/keeping_parts.h"

namespace roost {

// Removes what the retention rules say, run by run in small transactions. Each run's history then says what went and by
// which rule. What fails is logged and tried again by the next call.
void apply_retention_rules(const KeepingParts& parts, const std::stop_token& stop);

}  // namespace roost
