#include "cli/work/read_secret.h"

#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kLongest = 64 * 1024;

// Shows nothing of what is typed at the terminal, as long as it lives.
class NoEcho {
 public:
  NoEcho() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    is_set_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0;
  }
  ~NoEcho() {
    if (is_set_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;

 private:
  termios before_{};
  bool is_set_ = false;
};

// To the end of it, or of the line.
Result<std::string> read_input(bool one_line) {
  std::string text;
  char buffer[4096];
  while (text.size() <= kLongest) {
    const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "read standard input");
    if (got == 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
    if (one_line && text.ends_with('\n')) break;
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Result<std::string> read_secret(const std::string& name, const std::string& variable) {
  std::string value;
  if (!variable.empty()) {
    const char* here = std::getenv(variable.c_str());
    if (!here) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the variable {} is not set here; without --from-env the value is read from standard input",
                              printable(variable)));
    }
    value = here;
  } else if (::isatty(STDIN_FILENO) != 0) {
    {
      // Before the question is there: who answers at once must neither be shown nor lose a letter.
      const NoEcho quiet;
      std::fprintf(stderr, "value of %s (not shown): ", name.c_str());
      std::fflush(stderr);
      ROOST_TRY(value, read_input(true));
    }
    std::fprintf(stderr, "\n");
  } else {
    ROOST_TRY(value, read_input(false));
  }
  if (value.empty()) return fail(ErrorCode::kInvalidArgument, fmt::format("the value of {} is empty; nothing was stored", name));
  return value;
}

}  // namespace roost
