#pragma once

#include <functional>
#include <optional>
#include <string>

#include "domain/run_spec.h"
#include "server/app.h"

namespace roost {

struct Submitter {
  std::string workspace;
  std::string user;
};

// What a submit does besides, in the transaction that makes the run.
struct StartSteps {
  // For whom; none if there is nothing to start, as the run is there already.
  std::function<Result<std::optional<Submitter>>(Tx&)> check;
  std::function<Status(Tx&, const Run&)> made;
};

// Secret variables are sealed before anything is written. Starting and Preparing take no time for an environment that exists, so one transaction does both; what is missing is
// asked for, and the loops are woken. None if check() said so. A sweep's parent and an interactive run need no environment.
Result<std::optional<Run>> start_run(App& app, RunSpec spec, const StartSteps& steps);

// What would come of it: its refusals, or the run with what was pinned in it. Nothing is made.
Result<Run> check_start(App& app, const RunSpec& spec, const Submitter& submitter);

}  // namespace roost
