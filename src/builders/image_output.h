#pragma once

#include <string>
#include <string_view>

#include "builders/pip_output.h"

namespace roost {

// Reads what `buildah bud` prints, line by line, and says at the end which step failed and why.
class ImageOutput {
 public:
  void add(std::string_view line);

  // "Step 3/5: RUN make" for the line that begins a step, as the log shows it; "" for any other.
  static std::string step_line(std::string_view line);

  // The line that matters, in words.
  std::string problem() const;
  // The command of the step it is at, "RUN make"; "" before the first.
  const std::string& command() const { return command_; }

 private:
  std::string number_;  // "3/5"
  std::string command_;
  std::string last_;    // what the step printed last
  std::string error_;   // buildah's own
  PipOutput pip_;
  bool pip_failed_ = false;
};

}  // namespace roost
