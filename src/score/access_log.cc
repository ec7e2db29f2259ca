#include "score/access_log.h"

#include <unistd.h>

#include <chrono>
#include <ctime>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace roost {

std::string service_line(ServiceLevel level, std::string_view message) {
  using std::chrono::milliseconds;
  const auto now = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::time_t seconds = now / 1000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  return fmt::format("{},{:03} {} [{}] azmlinfsrv - {}\n", std::string_view(text, size), now % 1000, static_cast<char>(level),
                     ::getpid(), message);
}

void log_service(ServiceLevel level, std::string_view message) {
  // A log that cannot be written is no reason to stop serving.
  (void)write_all(STDOUT_FILENO, service_line(level, message), "standard output");
}

std::string access_text(std::string_view method, std::string_view path, std::string_view query, int status, double seconds,
                        std::uint64_t length) {
  return fmt::format("{} {}{}{} {} {:.3f}ms {}", printable(method, 20), printable(path, 200), query.empty() ? "" : "?",
                     printable(query, 200), status, seconds * 1000, length);
}

}  // namespace roost
