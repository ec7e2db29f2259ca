#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "domain/root_cause.h"
#include "domain/run.h"

namespace roost {

// How a whole attempt ended, by the reports of all its nodes.
struct RunEnd {
  std::string outcome = "exited";  // of the first part that did not just exit
  std::string message;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> signal;
  bool out_of_memory = false;
  Micros exited = 0;
  std::optional<RootCause> cause;
  std::string node;
  std::vector<std::string> last_lines;  // of the rank that is the cause
  bool is_gang = false;

  bool succeeded() const { return outcome == "exited" && !cause && exit_code == 0; }
};

// Ends the run: Finalizing, then Completed, Failed or Canceled with exit code or signal, reason and
// the last lines it printed.
Status finish_run(Tx& tx, Run& run, const RunEnd& end, Micros now);

}  // namespace roost
