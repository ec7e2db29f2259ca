#pragma once

namespace roost {

// The program `roost supervise FD -- PROGRAM ARGUMENTS...`: starts PROGRAM, waits for it, ends
// everything it left behind, and writes one line about its end to the descriptor FD:
// "exit CODE", "signal NUMBER" or "launch ERRNO". SIGTERM is passed on to every process it started.
//
// It runs as process 1 of a pid namespace where the kernel allows one: then no process can outlive
// it, double-forked daemons included. Elsewhere it adopts orphans (subreaper) and ends those.
int supervise(int argc, char** argv);

}  // namespace roost
