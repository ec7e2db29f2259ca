#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace roost {

// What `roost sweep start` reads: docs/sweeps.md has the keys.
struct SweepFile {
  Json spec;           // the body of create_sweep; its run still lacks "snapshot" and "git"
  std::string source;  // the folder with the code, as written; "" for that of the file
  bool picks_python = false;  // nothing says what to run in
  std::vector<std::string> notes;  // what is allowed, but likely not meant
};

// Errors are like "sweep.yaml, line 7: policy.slack_factor: must be a number of 0 or more".
Result<SweepFile> parse_sweep_file(std::string_view text, const std::string& name);

}  // namespace roost
