#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/console.h"

namespace roost {

// Writes --secret KEY and KEY=NAME into the body of a submit. KEY alone is the secret of that name that the workspace
// keeps, and if it keeps none the variable KEY of this process, whose value then goes along with this run only, and is
// sealed with it. KEY=NAME is the secret NAME of the workspace.
Status add_secrets(Console& console, const std::string& workspace, const std::vector<std::string>& words, Json& spec);

// Says of values of secrets that stand among the arguments that others can read them there.
void warn_of_shown(const Console& console, const std::vector<std::string>& variables);

}  // namespace roost
