#pragma once

#include <stop_token>

#include "keeping/keeping_parts.h"

namespace roost {

// Deletes for good what the database says is to go, in many small transactions, so that others get their turn between
// them. It can be ended and begun anew anywhere: what is left to do is in the database. What fails is logged and tried
// again by the next call.
void purge_requested(const KeepingParts& parts, const std::stop_token& stop);

}  // namespace roost
