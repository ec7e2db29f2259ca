#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "runner/server_link.h"

namespace roost {

// Files that were uploaded before, so that those that have not changed since are not read again.
struct KnownOutput {
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::string digest;
};
using KnownOutputs = std::map<std::string, KnownOutput>;

// Uploads every file below `folder` that the server lacks and answers their list for the report:
// [{"path": "outputs/model.pt", "digest", "size"}]. Links are followed as long as they lead to
// regular files below `root`. Names that cannot be stored are an error that names them.
Result<Json> collect_outputs(ServerLink& server, const std::filesystem::path& root,
                             const std::filesystem::path& folder, const std::string& prefix,
                             KnownOutputs& known);

// The same for files that nobody has written to for a while; only those that are new or changed are in
// the answer. For what may be needed before the run ends.
Result<Json> collect_settled_outputs(ServerLink& server, const std::filesystem::path& root,
                                     const std::filesystem::path& folder, const std::string& prefix,
                                     std::chrono::milliseconds settled, KnownOutputs& known);

}  // namespace roost
