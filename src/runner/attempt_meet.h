#pragma once

#include "runner/attempt.h"

namespace roost {

// The second hook. Tells the other nodes of the run, by way of the server, how they reach this one, and waits for the
// order `go`, which has the facts of all; a run of one node has nobody to wait for. Leaves `nodes` and, each with an
// empty log that is a stream from now on, `ranks`; what is held of ports stays held until the attempt is over. False if
// the attempt was told to end meanwhile; an error if what the server said makes no gang.
Result<bool> meet_nodes(Attempt& attempt);

}  // namespace roost
