#pragma once

#include <string>

#include "base/clock.h"
#include "db/database.h"
#include "domain/run.h"
#include "records/placement.h"

namespace roost {

// A held run is given no node until it is released. One that has nodes is taken off them as by a preemption: SIGTERM, the
// grace, SIGKILL; what it wrote to ./outputs is there when it goes on, and it costs no retry. One whose processes have
// ended, or are being ended, is left to end. `told` gets whom to tell. To hold twice changes nothing.
Status hold_run(Tx& tx, Run& run, const std::string& why, Micros now, Preempted& told);

// It waits for nodes again, if it has not ended.
Status release_run(Tx& tx, Run& run, const std::string& why, Micros now);

}  // namespace roost
