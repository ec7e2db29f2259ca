#pragma once

#include "db/database.h"
#include "domain/run.h"

namespace roost {

// The run with what lists leave out: how long each stage took, and its nodes.
Result<Json> whole_run_json(Tx& tx, const Run& run, Micros now);

}  // namespace roost
