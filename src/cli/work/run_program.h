#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace roost {

struct ProgramOutput {
  int exit_code = -1;  // 128 + signal if a signal ended it
  std::string text;    // its standard output
};

struct ProgramLimits {
  std::size_t bytes = 1 << 20;  // no more is read: the program is ended then
  std::chrono::milliseconds time{5000};
};

// Runs a program found on PATH in `folder` with nothing to read and standard error thrown away.
// kNotFound if there is no such program, kDeadlineExceeded if it took longer than it may.
Result<ProgramOutput> run_program(const std::vector<std::string>& words, const std::string& folder,
                                  const ProgramLimits& limits);

}  // namespace roost
