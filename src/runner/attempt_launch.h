#pragma once

#include "runner/attempt.h"

namespace roost {

// What the processes of the attempt are started with: their variables, their file system, their programs. To be made
// once the nodes have met and just before the start, because it says when that is (ROOST_LAUNCHED). Of MPI it has the one
// process that starts the others. Writes what they need into the attempt's folder. An error says what the run lacks.
Result<LaunchSpec> make_launch_spec(Attempt& attempt);

}  // namespace roost
