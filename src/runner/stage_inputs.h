#pragma once

#include <filesystem>
#include <string>

#include "runner/notices.h"
#include "runner/server_link.h"

namespace roost {

// For how long staging goes on against a server that answers, but not with what is needed: a blob that is damaged
// there will not come back by itself, and the run fails with its name.
inline constexpr std::chrono::milliseconds kStagingPatience{30'000};

// Makes the snapshot's tree in the open folder, from a cache of blobs by digest that all nodes of this
// machine share; only what the cache lacks is fetched. The files are reflinks or copies: a script that
// changes its own files never changes the cache. No link in the folder is followed, whoever made it.
Status stage_snapshot(ServerLink& server, const std::string& snapshot, const std::filesystem::path& cache, int folder);

// Puts back what an earlier attempt of the run left: [{"path", "digest", "size"}] in the open folder. No link in it is
// followed: a snapshot has its own, and anybody who may change the run can add an artifact of any name. What would have
// to go through one is left out, with a notice.
Status restore_outputs(ServerLink& server, const Json& outputs, const std::filesystem::path& cache, int folder,
                       Notices& notices);

}  // namespace roost
