#pragma once

#include <cstdint>
#include <filesystem>

#include "base/files.h"
#include "base/result.h"

namespace roost {

// Says, as long as it is held, that a runner is at work in the folder of its node; the server looks at it, too.
Result<Fd> hold_node_folder(const std::filesystem::path& folder);

// Removes what runners left on a machine where nobody else looks after it, as on a node of a cluster:
// folders of nodes whose runner was killed, downloads that were cut off, programs of other versions that
// nobody used for a week. What another runner uses stays. `node` is the folder of this one, `program` what
// it runs.
void remove_leftovers(const std::filesystem::path& folder, const std::filesystem::path& node,
                      const std::filesystem::path& program);

// Removes of a cache what was not used for longest, until it is below `most_bytes`. What was used within
// the hour stays, as does an environment that a run holds.
void shrink_cache(const std::filesystem::path& cache, std::uint64_t most_bytes);

// A tenth of the disk, at most 100 GB.
std::uint64_t cache_bound(const std::filesystem::path& folder);

}  // namespace roost
