#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace roost {

// When the bytes of a log came: after `at` the log was `end` bytes long.
struct LogTime {
  std::uint64_t end = 0;
  Micros at = 0;
};

// One file of 16-byte records beside a log. It is a hint for the order in which the logs of several
// ranks are shown, so it is never synced, and what a crash tore or left out costs order only, no line:
// a last record that is not whole is ignored by readers and overwritten by the next one.
Status append_log_time(const std::filesystem::path& file, const LogTime& time);

// Records `first` and on, at most `limit`; none if there is no such file.
Result<std::vector<LogTime>> read_log_times(const std::filesystem::path& file, std::uint64_t first,
                                            std::size_t limit);

}  // namespace roost
