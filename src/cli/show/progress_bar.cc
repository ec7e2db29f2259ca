#include "cli/show/progress_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/text_width.h"

namespace roost {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);

std::string bar(double part, int width, const Style& style) {
  static const char* const kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(part * width * 8));
  std::string full;
  for (int i = 0; i < eighths / 8; ++i) full += "█";
  full += kEighths[eighths % 8];
  std::string rest;
  for (int i = (eighths + 7) / 8; i < width; ++i) rest += "░";
  return style(Tone::kCyan, full) + style(Tone::kDim, rest);
}

}  // namespace

std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total,
                          double seconds, int width, const Style& style) {
  const double part =
      total == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string facts = fmt::format("{:3.0f} %  {} of {}", std::floor(part * 100), human_bytes(done),
                                  human_bytes(total));
  if (rate > 0) facts += fmt::format("  {}/s", human_bytes(static_cast<std::uint64_t>(rate)));
  if (rate > 0 && done < total && seconds > 0.5) {
    const double left = static_cast<double>(total - done) / rate;
    facts += fmt::format("  {} left", human_duration(std::max(1.0, std::round(left))));
  }
  const int room = width - text_width(label) - text_width(facts) - 4;
  if (room < 8) return clip_text(label + "  " + facts, width);
  return label + "  " + bar(part, std::min(room, 40), style) + "  " + facts;
}

ProgressBar::ProgressBar(std::string label, std::uint64_t total, const Style& style, bool quiet)
    : label_(std::move(label)), style_(style), shown_(!quiet && is_terminal(2)), total_(total) {}

void ProgressBar::clear() {
  const std::lock_guard lock(mutex_);
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void ProgressBar::set_total(std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  total_ = total;
}

void ProgressBar::update(std::uint64_t done) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  draw();
}

void ProgressBar::add(std::uint64_t more) {
  const std::lock_guard lock(mutex_);
  done_ += more;
  draw();
}

std::uint64_t ProgressBar::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

double ProgressBar::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void ProgressBar::draw() {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now - last_draw_ < kInterval) return;
  last_draw_ = now;
  drawn_ = true;
  const std::string line =
      progress_line(label_, done_, total_, seconds(), terminal_width(2) - 1, style_);
  std::fprintf(stderr, "\r%s\033[K", line.c_str());
}

}  // namespace roost
