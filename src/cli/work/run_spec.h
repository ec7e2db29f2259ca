#pragma once

#include <cstdint>
#include <filesystem>
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
  std::vector<std::string> requirements;  // files of pip requirements
  std::string environment_file;           // conda.yml, Dockerfile, pyproject.toml, uv.lock
  std::string pins;         // "", "strict" or "nearest"; of the environment
  std::vector<std::string> tags;       // "k=v" or "k"
  std::vector<std::string> variables;  // "K=V", or "K" for the value it has here
  std::vector<std::string> secrets;    // "K", or "K=NAME" (secret_options.h)
  std::int64_t priority = 0;
  std::int64_t max_retries = 0;
  std::string time_limit;
  std::vector<std::string> notify;     // "CHANNEL" or "CHANNEL:failure,hang"
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> processes;  // on all nodes together
  std::optional<std::int64_t> per_node;   // the same, on each
  std::optional<std::int64_t> gpus;       // these three on each node
  std::optional<std::int64_t> cpus;
  std::string memory;                     // as "16g"
  bool mpi = false;
  std::vector<std::string> command;
};

// The body of submit_run without "snapshot" and "git"; what an environment of files is called the caller puts in.
Result<Json> make_spec(const RunRequest& request);

// "K=V", or "K" for the value it has here, of the option of that name.
Result<Json> parse_variables(const std::vector<std::string>& words, const std::string& option);

// One shell line for the words after "--": a single word with blanks is a line already.
std::string shell_line(const std::vector<std::string>& words);

// The name of an experiment for the code of a folder: its own name, made valid. "runs" for one without any letter.
std::string experiment_of_folder(const std::filesystem::path& folder);

// The interpreter of the active virtual or conda environment; "" when there is none.
std::string active_python();

// Takes out of a spec the variables whose values were not shown, and so are not known.
void leave_out_masked(Json& spec);

// The body that submits what `run` did once more: its spec with the snapshot and environment it
// was pinned to. Of an environment that was built, the lock: exactly the same versions. An
// interactive run is refused.
Result<Json> spec_to_repeat(const Json& run);

}  // namespace roost
