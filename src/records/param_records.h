#pragma once

#include <string>
#include <utility>
#include <vector>

#include "db/database.h"
#include "domain/run.h"

namespace roost {

// What a run was set to: what its command line says, which is there from the start, and what is logged of it.

using Params = std::vector<std::pair<std::string, std::string>>;

// By name.
Result<Params> list_params(Tx& tx, std::int64_t run);

// Logs parameters. One that was logged before stays as it was: the same value again is fine, another is
// kInvalidArgument, and so is the same name twice with two values. What only the command line says gives way. At most
// 10,000 a run. With an error the transaction must be given up.
Status log_params(Tx& tx, const Run& run, const Params& params);

}  // namespace roost
