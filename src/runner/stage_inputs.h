#pragma once

#include <filesystem>
#include <string>

#include "runner/server_link.h"

namespace roost {

// For how long staging goes on against a server that answers, but not with what is needed: a blob that is damaged
// there will not come back by itself, and the run fails with its name.
inline constexpr std::chrono::milliseconds kStagingPatience{30'000};

// Makes the snapshot's tree below `destination` (which must not exist), from a cache of blobs by
// digest that all nodes of this machine share; only what the cache lacks is fetched. The files are
// reflinks or copies: a script that changes its own files never changes the cache.
Status stage_snapshot(ServerLink& server, const std::string& snapshot,
                      const std::filesystem::path& cache, const std::filesystem::path& destination);

// Puts back what an earlier attempt of the run left: [{"path", "digest", "size"}] below `destination`.
Status restore_outputs(ServerLink& server, const Json& outputs, const std::filesystem::path& cache,
                       const std::filesystem::path& destination);

}  // namespace roost
