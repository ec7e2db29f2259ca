#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "builders/build_order.h"
#include "db/database.h"
#include "domain/run.h"
#include "prepare/environment_look.h"

namespace roost {

// A build that runs wait for.
struct BuildRequest {
  std::string digest;
  EnvironmentPlan plan;
  std::vector<std::string> lock;
};

// Preparing: settles what the script will run in. An interpreter that exists, or an environment the
// cache has: the run is Queued at once. Else it stays in Preparing, and the build it waits for is
// returned. A definition that cannot be built fails the run with the reason. If `look` lacks something, this fails and
// has to be tried again, in another transaction, after look.look_at_missing().
Result<std::optional<BuildRequest>> prepare_environment(Tx& tx, Run& run, const BuildSettings& settings,
                                                        const EnvironmentLook& look, Micros now);

// What a run in Preparing waits for, from what it says of itself: after a restart.
Result<BuildRequest> build_of(const Run& run, const BuildSettings& settings);

// The build ended: the run is Queued with it, or Failed with the reason.
Status settle_built(Tx& tx, Run& run, const CachedEnvironment& environment, Micros now);
Status settle_failed(Tx& tx, Run& run, const std::string& message, Micros now);

// The interpreter runs use when they name none: `configured`, else Debian's /usr/bin/python3, else the
// first python3 on PATH; "" if the machine has none.
std::string find_default_python(const std::string& configured);

}  // namespace roost
