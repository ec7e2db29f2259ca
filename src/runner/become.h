#pragma once

#include "runner/supervise.h"

namespace roost {

// For a new process that is about to be a program. They neither allocate nor lock.

// Takes the user that the programs have. False with errno set if that cannot be.
bool become_user(const SupervisedAs& as);
// Looks for the program as a shell does, in $PATH of `environment`. Comes back if it cannot be started.
void become_program(char** program, char** environment);

}  // namespace roost
