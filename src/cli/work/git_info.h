#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"

namespace roost {

// Where the code of a folder comes from, for the "git" part of a run's spec: repository_uri without
// credentials, branch, commit, dirty. What is not known is left out; null outside a repository.
// Reads the repository's files; only `dirty` takes a `git` process, and is left out without one or
// when it takes longer than `patience_ms`.
Json git_info(const std::filesystem::path& folder, int patience_ms = 3000);

// A remote's address without what opens it: "https://host/owner/name.git".
std::string without_credentials(const std::string& url);

}  // namespace roost
