#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roost {

// A process below a supervisor, by /proc.
struct TreeProcess {
  int pid = 0;         // as this machine sees it
  int inner_pid = 0;   // as it sees itself, in its pid namespace
  std::int64_t ticks = 0;  // CPU time used so far
};

std::vector<TreeProcess> processes_below(int supervisor);

// A variable of a process's environment as it was started; "" if it is not there.
std::string variable_of(int pid, const std::string& name);
// The words of its command line with blanks between them.
std::string command_of(int pid);

}  // namespace roost
