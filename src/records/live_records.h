#pragma once

#include <string>

#include "db/database.h"

namespace roost {

// Texts that are others whenever what a page shows may be another; for nothing but being compared.

// The ranks of a run's newest attempt.
Result<std::string> ranks_state(Tx& tx, const std::string& run);
// The computes of a workspace with their nodes and their queues.
Result<std::string> computes_state(Tx& tx, const std::string& workspace);

}  // namespace roost
