#pragma once

#include <filesystem>
#include <string>

#include "runner/server_link.h"

namespace roost {

// Uploads every file below `folder` that the server lacks and answers their list for the report:
// [{"path": "outputs/model.pt", "digest", "size"}]. Links are followed as long as they lead to
// regular files below `root`. Names that cannot be stored are an error that names them.
Result<Json> collect_outputs(ServerLink& server, const std::filesystem::path& root,
                             const std::filesystem::path& folder, const std::string& prefix);

}  // namespace roost
