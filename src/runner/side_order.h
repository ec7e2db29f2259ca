#pragma once

#include <cstdint>

namespace roost {

// What the runner tells its supervisor while that looks after the processes of a run: to start a program beside them,
// for somebody who wants to look, or to send a signal to one of those. One packet each, over the descriptor that
// supervise() was given.
struct SideOrder {
  enum Kind : int { kStart, kSignal };
  int kind = kStart;
  int id = 0;            // the runner's name for it
  int signal = 0;        // of kSignal
  int is_terminal = 0;   // its input is a terminal, which becomes its own
  int words = 0;         // of the program, and how many variables follow them
  int variables = 0;
  std::uint64_t size = 0;
};

// With kStart come, in this order: a memory file of `size` bytes, standard input, output and errors, and a pipe for its end.
//
// The memory file begins with an offset of 8 bytes for each word and 0, then one for each variable and 0; each is where a
// text with its NUL begins. The supervisor, which cannot allocate, makes pointers of them in place.
inline constexpr int kSideDescriptors = 5;
inline constexpr std::uint64_t kMostSideBytes = 8 << 20;
inline constexpr int kMostSides = 64;  // at a time

// What is written to the pipe at its end: "exit CODE\n", "signal NUMBER\n", or "launch ERRNO\n" if it could not be started.
// Nothing if it ended together with the run.

}  // namespace roost
