#pragma once

#include <string>
#include <vector>

#include "finalize/finalize_parts.h"

namespace roost {

// What a run has written so far, for the next attempt in case this one is lost. What belongs together is recorded
// together. The names of those folders of the report that are sets by now.
Result<std::vector<std::string>> keep_sets(const FinalizeParts& finalize, const AttemptName& attempt,
                                           const KeepReport& report);

}  // namespace roost
