#pragma once

#include <string_view>

#include <fmt/format.h>

namespace roost {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// One line on standard error, "2026-11-15T21:00:00.123456Z info  message". Thread-safe. ROOST_LOG
// sets the least level shown: debug, info (the default), warning, error.
void log_line(LogLevel level, std::string_view message);
bool log_enabled(LogLevel level);
void set_log_level(LogLevel level);

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(LogLevel::kDebug)) {
    log_line(LogLevel::kDebug, fmt::format(format, std::forward<Args>(args)...));
  }
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(LogLevel::kInfo)) {
    log_line(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
  }
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace roost
