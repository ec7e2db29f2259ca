#pragma once

#include <string>

#include "base/clock.h"
#include "db/database.h"
#include "domain/run.h"

namespace roost {

// Preparing: settles what the script will run in, writes it into the run, and queues the run. So far
// an environment is an interpreter that exists (`existing`): the one the spec names, else
// `default_python`. One that cannot be had fails the run with the reason.
Status prepare_environment(Tx& tx, Run& run, const std::string& default_python, Micros now);

// The interpreter runs use when they name none: `configured`, else Debian's /usr/bin/python3, else the
// first python3 on PATH; "" if the machine has none.
std::string find_default_python(const std::string& configured);

}  // namespace roost
