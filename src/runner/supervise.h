#pragma once

namespace roost {

// One program to be started: null-terminated arguments, its environment, and where its output goes. What to start
// if that cannot be is in `otherwise`, or nullptr.
struct Supervised {
  char** program;
  char** environment;
  int output;
  char** otherwise = nullptr;
};

// Who the programs are.
struct SupervisedAs {
  int user = -1;  // if not negative they run as this one, and can become no other
  int group = -1;
  bool confined = false;  // root gives up what would let it out: give_up_capabilities()
};

// Starts `count` programs together, waits for all of them, ends everything they left behind, and
// writes one line about the end of each to the descriptor `report`: "INDEX exit CODE MICROS",
// "INDEX signal NUMBER MICROS" or "INDEX launch ERRNO MICROS"; one that cannot be launched ends the
// others. SIGTERM is passed on to every process below; SIGQUIT kills them all at once.
//
// Neither allocates nor locks, so that it may run in a bare copy of a process with threads. As
// process 1 of a pid namespace no process can outlive it, double-forked daemons included; elsewhere
// it adopts orphans (subreaper) and ends those.
//
// Orders to start further programs beside them come from `control` (side_order.h), if that is not -1.
int supervise(int report, const Supervised* programs, int count, const SupervisedAs& as = {}, int control = -1);

}  // namespace roost
