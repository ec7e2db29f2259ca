#include "base/log.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "base/clock.h"

namespace roost {
namespace {

LogLevel level_from_environment() {
  const char* name = std::getenv("ROOST_LOG");
  const std::string_view text = name ? name : "";
  if (text == "debug") return LogLevel::kDebug;
  if (text == "warning") return LogLevel::kWarning;
  if (text == "error") return LogLevel::kError;
  return LogLevel::kInfo;
}

std::atomic<LogLevel>& least_level() {
  static std::atomic<LogLevel> level{level_from_environment()};
  return level;
}

constexpr std::string_view kNames[] = {"debug", "info", "warning", "error"};

}  // namespace

bool log_enabled(LogLevel level) { return level >= least_level().load(); }
void set_log_level(LogLevel level) { least_level().store(level); }

void log_line(LogLevel level, std::string_view message) {
  if (!log_enabled(level)) return;
  const std::string line = fmt::format("{} {:<7} {}\n", format_time(SystemClock().now()),
                                       kNames[static_cast<int>(level)], message);
  // One write, so that lines of several threads and processes never mix.
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

}  // namespace roost
