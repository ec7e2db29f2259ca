#pragma once

#include <string>
#include <vector>

#include "builders/build_order.h"
#include "confine/hidden_folders.h"

namespace roost {

// What `pip config list` prints, for the pip that is started by `pip`; "" if it fails. Asking takes a third of a second, so
// the answer is kept in the folder of tools for as long as pip's variables and files are the same.
std::string pip_settings(const BuildSettings& settings, const std::vector<std::string>& pip,
                         const std::optional<HiddenFolders>& hidden);

}  // namespace roost
