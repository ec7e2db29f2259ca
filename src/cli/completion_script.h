#pragma once

#include <string>

#include "base/result.h"
#include "cli/verb_info.h"

namespace roost {

// A script that teaches "bash", "zsh" or "fish" the verbs and options of `root`, run ids,
// sweep ids and compute names (asked from `roost runs -q`, `roost sweep ls -q` and `roost compute ls -q`).
Result<std::string> completion_script(const VerbInfo& root, const std::string& shell);

}  // namespace roost
