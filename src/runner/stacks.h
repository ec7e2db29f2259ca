#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace roost {

// Where every thread of the Python processes below a supervisor is now: by py-spy if this machine has
// it, else by the signal that the SDK has told Python's faulthandler to answer (python/in_run/sitecustomize.py).
// `folder` is where such processes leave their answers, ROOST_STACKS in their environment.
// Answers [{"rank", "pid", "command", "stack"}]; a process that is no Python has an empty stack.
Json take_stacks(int supervisor, const std::filesystem::path& folder);

// Where the main thread of each of these processes below a supervisor is, by that signal. Who does not answer it is
// left out.
std::map<int, std::string> main_threads(int supervisor, const std::vector<int>& pids, const std::filesystem::path& folder);

}  // namespace roost
