#pragma once

#include "access/access.h"
#include "db/database.h"
#include "domain/run.h"

namespace roost {

// The run's submitter and owners are shown the values of its variables, and the run itself. Not whoever starts it
// again with variables that somebody else gave.
Variables variables_for(const Principal& who, const Run& run);
// Of a run that is started again: who gave the variables, if not the one who starts it.
inline constexpr const char* kVariablesOf = "roost.variables_of";

// The run with what lists leave out: how long each stage took, and its nodes.
Result<Json> whole_run_json(Tx& tx, const Run& run, const Principal& who, Micros now);

}  // namespace roost
