#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "confine/hidden_folders.h"

namespace roost {

// The packages that an interpreter of the machine has besides those of an environment, by plain name.
using NodePackages = std::map<std::string, std::string>;

// Asks `python`, which sees them, and lays a wheel of each into `folder` that holds no code: only its name, its version
// and what it needs, and that in exactly the versions which the machine has. So a resolver takes one of them only
// together with what it was made with.
Result<NodePackages> describe_node_packages(const std::string& python, const std::filesystem::path& folder,
                                            const std::optional<HiddenFolders>& hidden);

}  // namespace roost
