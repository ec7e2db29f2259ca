#pragma once

#include <cstddef>
#include <string>

namespace roost {

// Lets this process open as many files as it may (the hard limit), and remembers the limit it had: programs
// that use select(2) break above 1024, so whatever is started for somebody else gets that one back. Answers the
// limit that is in force now.
std::size_t raise_file_limit();

// In a child between clone and exec, where only system calls are allowed: the remembered limit again.
void restore_file_limit();

// "NAME=value" for the environment of a `roost` that this one starts, which would else remember the raised limit.
std::string file_limit_variable();

}  // namespace roost
