#pragma once

#include <string>

#include "base/result.h"
#include "cli/verb_info.h"

namespace roost {

// A script that teaches "bash", "zsh" or "fish" the verbs and options of `root`, and what can stand for their values: runs,
// computes, experiments, statuses, models, artifacts and so on, which `roost complete KIND` lists.
Result<std::string> completion_script(const VerbInfo& root, const std::string& shell);

}  // namespace roost
