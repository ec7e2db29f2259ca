#pragma once

#include <functional>

#include "base/result.h"
#include "confine/hidden_folders.h"

namespace roost {

// Starts a process that sees nothing of `hidden` but what is shown, in which `work` then runs; its end is that of the
// process. Where namespaces are allowed it has its own, of mounts and processes, and whatever it leaves running ends
// with it; else Landlock keeps it out; where there is neither it runs as it is (the server says so at its start).
// Answers the pid of the process above it, which ends as `work` does, with 128 + signal if a signal ended that.
//
// To be called by a process with one thread. Both end when that thread does.
Result<int> start_confined(const HiddenFolders& hidden, const std::function<void()>& work);

}  // namespace roost
