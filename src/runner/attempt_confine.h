#pragma once

#include "confine/hidden_folders.h"
#include "runner/attempt.h"

namespace roost {

// What of this machine a run that is in no image does not see: what Roost keeps for itself, besides its own share.
Result<HiddenFolders> hidden_folders(const Attempt& attempt);

// Has the run find the server where it is now, by a copy of the server file without what opens it. Does nothing while
// the server is away.
Status show_server(const Attempt& attempt);

}  // namespace roost
