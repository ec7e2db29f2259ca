#pragma once

#include <filesystem>

#include "base/files.h"
#include "runner/server_link.h"

namespace roost {

// Makes the order's environment usable on a node that may not see the server's disk: if its folder is
// not there, it is fetched into the cache (once per node and environment), and the order's paths are
// changed to it. kFailedPrecondition if it does not work here, with the reason. A copy stays as long as
// what is returned is held; an empty one if no copy is needed.
Result<Fd> bring_environment(ServerLink& server, const std::filesystem::path& cache, Json& order);

}  // namespace roost
