#pragma once

namespace roost::mpi {

// True if this machine has a device by which an MPI may reach others, or the memory of a GPU, better than by TCP. All
// ranks have to use the same: where the first node has none, no other can use its own.
bool has_other_networks();

}  // namespace roost::mpi
