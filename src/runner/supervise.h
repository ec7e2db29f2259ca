#pragma once

namespace roost {

// Starts `program` (null-terminated), waits for it, ends everything it left behind, and writes one
// line about its end to the descriptor `report`: "exit CODE", "signal NUMBER" or "launch ERRNO".
// SIGTERM is passed on to every process it started; SIGQUIT kills them all at once. Answers the exit code of the supervisor itself.
//
// As process 1 of a pid namespace no process can outlive it, double-forked daemons included, and it
// neither allocates nor locks, so that it may run in a bare copy of a process with threads. Elsewhere
// it adopts orphans (subreaper) and ends those.
// With a user the program runs as that one, and can become no other.
int supervise(int report, char** program, int user = -1, int group = -1);

// The program `roost supervise FD -- PROGRAM ARGUMENTS...`.
int supervise_command(int argc, char** argv);

}  // namespace roost
