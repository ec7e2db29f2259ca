#pragma once

#include "domain/vm_sizes.h"

namespace roost {

// CPUs this process may use, memory, and NVIDIA GPUs (by /dev, else by /proc) of this machine.
Resources find_machine();

// Clock ticks since boot at which a process started, from /proc; 0 if there is none. Together with
// the pid it names one process for good.
long long process_start_time(int pid);

}  // namespace roost
