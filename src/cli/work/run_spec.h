#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace roost {

// What `roost submit` was asked to run, before the code and git parts are known.
struct RunRequest {
  std::string experiment;
  std::string compute;
  std::string name;
  std::string python;
  std::string environment;  // NAME or NAME:VERSION
  std::string pins;         // "", "strict" or "nearest"; of the environment
  std::vector<std::string> tags;       // "k=v" or "k"
  std::vector<std::string> variables;  // "K=V", or "K" for the value it has here
  std::int64_t priority = 0;
  std::int64_t max_retries = 0;
  std::string time_limit;
  std::vector<std::string> notify;     // "CHANNEL" or "CHANNEL:failure,hang"
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> processes;  // on all nodes together
  std::optional<std::int64_t> per_node;   // the same, on each
  bool mpi = false;
  std::vector<std::string> command;
};

// The body of submit_run without "snapshot" and "git".
Result<Json> make_spec(const RunRequest& request);

// One shell line for the words after "--": a single word with blanks is a line already.
std::string shell_line(const std::vector<std::string>& words);

// The interpreter of the active virtual or conda environment; "" when there is none.
std::string active_python();

// The body that submits what `run` did once more: its spec with the snapshot and environment it
// was pinned to. Of an environment that was built, the lock: exactly the same versions. An
// interactive run is refused.
Result<Json> spec_to_repeat(const Json& run);

}  // namespace roost
