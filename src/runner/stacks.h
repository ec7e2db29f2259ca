#pragma once

#include <filesystem>

#include "base/json.h"

namespace roost {

// Where every thread of the Python processes below a supervisor is now: by py-spy if this machine has
// it, else by the signal that the SDK has told Python's faulthandler to answer (python/in_run/sitecustomize.py).
// `folder` is where such processes leave their answers, ROOST_STACKS in their environment.
// Answers [{"rank", "pid", "command", "stack"}]; a process that is no Python has an empty stack.
Json take_stacks(int supervisor, const std::filesystem::path& folder);

}  // namespace roost
