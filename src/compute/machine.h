#pragma once

#include <string>

#include "base/result.h"
#include "domain/lease.h"

namespace roost {

// CPUs this process may use, and the memory of this machine. Its GPUs: find_gpus().
Inventory find_machine();

// Whether a process of a run still lives that a runner of this node started, by ROOST_NODE in its environment.
bool has_processes_of(const std::string& node);

// Clock ticks since boot at which a process started, from /proc; 0 if it has ended. Together with the pid it names
// one process for good. An error if that cannot be read: there is no such process, or no free descriptor.
Result<long long> process_start_time(int pid);

}  // namespace roost
