#include "cli/show/style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace roost {
namespace {

const char* escape(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kBold:
      return "\033[1m";
    case Tone::kDim:
      return "\033[2m";
    case Tone::kRed:
      return "\033[31m";
    case Tone::kGreen:
      return "\033[32m";
    case Tone::kYellow:
      return "\033[33m";
    case Tone::kBlue:
      return "\033[34m";
    case Tone::kMagenta:
      return "\033[35m";
    case Tone::kCyan:
      return "\033[36m";
  }
  return "";
}

}  // namespace

std::string Style::operator()(Tone tone, std::string_view text) const {
  if (!colour_ || tone == Tone::kPlain || text.empty()) return std::string(text);
  std::string out = escape(tone);
  out += text;
  out += "\033[0m";
  return out;
}

Tone status_tone(std::string_view status) {
  if (status == "Completed" || status == "idle" || status == "Succeeded") return Tone::kGreen;
  if (status == "Failed" || status == "NotResponding" || status == "unusable") return Tone::kRed;
  if (status == "Running" || status == "Finalizing" || status == "running") return Tone::kBlue;
  if (status == "Canceled" || status == "CancelRequested" || status == "preempted") {
    return Tone::kMagenta;
  }
  return Tone::kYellow;
}

bool is_terminal(int fd) { return isatty(fd) == 1; }

bool wants_colour(int fd, bool refused) {
  if (refused || !is_terminal(fd)) return false;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color && *no_color) return false;
  const char* term = std::getenv("TERM");
  return !term || std::string_view(term) != "dumb";
}

int terminal_width(int fd) {
  if (!is_terminal(fd)) return 0;
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

int terminal_height(int fd) {
  if (!is_terminal(fd)) return 0;
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return 24;
}

}  // namespace roost
