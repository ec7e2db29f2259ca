#pragma once

#include <string>
#include <string_view>

namespace roost {

enum class Tone { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan };

// Colours text, or leaves it as it is where colour is not wanted.
class Style {
 public:
  explicit Style(bool colour) : colour_(colour) {}
  std::string operator()(Tone tone, std::string_view text) const;
  bool colour() const { return colour_; }

 private:
  bool colour_;
};

// The colour of a run's, node's or compute's state.
Tone status_tone(std::string_view status);

bool is_terminal(int fd);
// Colour only on a terminal that can show it, and not under --no-color, NO_COLOR or TERM=dumb.
bool wants_colour(int fd, bool refused);
// Columns of the terminal behind `fd`; 0 when it is none, so nothing is clipped in a pipe.
int terminal_width(int fd);
int terminal_height(int fd);  // its lines; 0 when it is none

}  // namespace roost
