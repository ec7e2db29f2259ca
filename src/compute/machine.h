#pragma once

#include "base/result.h"
#include "domain/vm_sizes.h"

namespace roost {

// CPUs this process may use, memory, and NVIDIA GPUs (by /dev, else by /proc) of this machine.
Resources find_machine();

// Clock ticks since boot at which a process started, from /proc; 0 if it has ended. Together with the pid it names
// one process for good. An error if that cannot be read: there is no such process, or no free descriptor.
Result<long long> process_start_time(int pid);

}  // namespace roost
