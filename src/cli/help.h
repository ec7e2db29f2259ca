#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/verb_info.h"

namespace roost {

// The page `--help` prints for a verb, for a terminal of `width` columns (0 if it is none). `root` gives the options that
// every verb takes.
std::string help_text(const VerbInfo& verb, const VerbInfo& root, bool colour, int width);

// The verb that words lead to, as "compute", "create"; kNotFound with the nearest for one that there is not.
Result<const VerbInfo*> find_verb(const VerbInfo& root, const std::vector<std::string>& words);

}  // namespace roost
