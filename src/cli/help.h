#pragma once

#include <string>

#include "cli/verb_info.h"

namespace roost {

// The page `--help` prints for a verb. `root` gives the options that every verb takes.
std::string help_text(const VerbInfo& verb, const VerbInfo& root, bool colour);

}  // namespace roost
