#pragma once

#include "base/sealing.h"
#include "db/database.h"
#include "domain/run.h"

namespace roost {

// Opens what the run's processes are to get: takes the secret ones out of the order's "variables", and puts them and the
// secrets of the workspace that the run names into "secrets". What is missing by now is told in "refused": the runner fails
// the run with it, which is how any other start that cannot be is told.
Status add_secrets(Tx& tx, const Sealer& sealer, const Run& run, Json& order);

}  // namespace roost
