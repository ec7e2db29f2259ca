#pragma once

#include <optional>
#include <string>
#include <vector>

#include "builders/build_order.h"
#include "confine/hidden_folders.h"

namespace roost {

// What a program of this build is kept out of: the server's data folder, which has the folder of environments in it.
// Packages bring programs of their own (setup.py, what conda runs after linking), and those have the server's user. They
// see the environment's own folder, and, to read, interpreters, wheels and channels that the operator keeps in the data
// folder. The cache of downloads seems writable where there is overlayfs, what is written goes with the build. `files` are shown to be read, too. What is not there yet cannot be shown. Nothing if the environment is built
// in no data folder.
Result<std::optional<HiddenFolders>> hidden_from_build(const BuildOrder& order, const std::vector<std::string>& files = {});

}  // namespace roost
