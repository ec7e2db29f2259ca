#pragma once

#include <optional>
#include <string>

#include "cli/console.h"

namespace roost {

// What a script writes to standard output and standard error.
inline constexpr const char* kOutputLog = "azureml-logs/70_driver_log.txt";

struct LogRequest {
  Json run;
  std::string name = kOutputLog;
  bool follow = false;
  std::optional<std::size_t> tail;  // lines
  std::optional<std::int64_t> attempt;
};

// Writes the bytes of a log to standard output, with `follow` as they come until the run ends. With
// --json as the "log" events of follow_run, one a line.
Result<int> print_log(Console& console, const LogRequest& request);

// Where the last `lines` lines of `text` begin.
std::size_t tail_start(std::string_view text, std::size_t lines);

}  // namespace roost
