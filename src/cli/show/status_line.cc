#include "cli/show/status_line.h"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/text_width.h"

namespace roost {
namespace {

constexpr auto kFrame = std::chrono::milliseconds(120);
const char* const kSpinner[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};

}  // namespace

StatusLine::StatusLine(const Style& style, bool shown) : style_(style) {
  if (shown && is_terminal(2)) thread_ = std::thread([this] { redraw(); });
}

StatusLine::~StatusLine() {
  if (!thread_.joinable()) return;
  hide();
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StatusLine::show(const std::string& text) {
  if (!thread_.joinable()) return;
  const std::lock_guard lock(mutex_);
  if (text == text_) return;
  text_ = text;
  since_ = std::chrono::steady_clock::now();
  changed_.notify_all();
}

void StatusLine::hide() {
  if (!thread_.joinable()) return;
  const std::lock_guard lock(mutex_);
  text_.clear();
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void StatusLine::redraw() {
  std::unique_lock lock(mutex_);
  std::size_t frame = 0;
  while (!ending_) {
    changed_.wait(lock, [this] { return ending_ || !text_.empty(); });
    // Something short-lived is not worth a line that flickers.
    changed_.wait_for(lock, kFrame, [this] { return ending_; });
    if (ending_ || text_.empty()) continue;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
    const std::string time = seconds < 1    ? ""
                             : seconds < 60 ? fmt::format(" {:.0f} s", std::floor(seconds))
                                            : " " + human_duration(seconds);
    const std::string line = clip_text(text_ + time, terminal_width(2) - 3);
    std::fprintf(stderr, "\r%s %s\033[K", kSpinner[frame++ % std::size(kSpinner)],
                 style_(Tone::kDim, line).c_str());
    drawn_ = true;
  }
}

}  // namespace roost
