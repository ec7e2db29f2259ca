#pragma once

#include <string>
#include <vector>

#include "cli/console.h"

namespace roost {

// How one file differs between two snapshots.
struct FileDifference {
  std::string path;
  std::string change;  // "added", "removed", "changed", "mode"
  std::string diff;    // unified, where both are text of moderate size
  std::string note;    // why there is no diff: "binary, 1.2 MB -> 1.3 MB"
};

// Compares the snapshots of two runs; fetches the texts that differ. Either digest may be "" (a run
// without code).
Result<std::vector<FileDifference>> code_differences(ApiClient& client, const std::string& digest_a,
                                                     const std::string& digest_b);

}  // namespace roost
