#pragma once

namespace roost {

// Called by root before it starts a program: gives up what would let the program undo its confinement
// (mount and unmount, trace, open files by handle, make devices, load modules) for it and all it starts.
// Neither allocates nor locks.
void give_up_capabilities();

}  // namespace roost
