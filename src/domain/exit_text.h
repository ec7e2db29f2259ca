#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace roost {

// "SIGSEGV (segmentation fault)"
std::string signal_text(std::int64_t signal);

// How a process ended, after "the script" or "rank 3": "ended with exit code 1", "was ended by SIGKILL
// (killed)", with what shells and the kernel mean by it.
std::string end_text(std::optional<std::int64_t> exit_code, std::optional<std::int64_t> signal,
                     bool out_of_memory = false);

}  // namespace roost
