#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace roost {

struct CommandResult {
  int exit_code = 0;  // 128 + signal if one ended it
  std::string output;
  std::string errors;
};

// Runs a short program to its end, from any thread. kNotFound if it cannot be started,
// kDeadlineExceeded if it had to be killed, at the time limit or because `stop` became true: what it did
// until then may count.
Result<CommandResult> run_command(const std::vector<std::string>& words, std::string_view input,
                                  const std::map<std::string, std::string>& variables,
                                  std::chrono::milliseconds limit, const std::atomic<bool>* stop = nullptr);

}  // namespace roost
