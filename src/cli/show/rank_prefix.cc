#include "cli/show/rank_prefix.h"

#include <array>

#include <fmt/format.h>

namespace roost {
namespace {

// Red is for what went wrong.
constexpr std::array kTones = {Tone::kCyan, Tone::kGreen, Tone::kYellow, Tone::kMagenta, Tone::kBlue};

// What a terminal would leave of a line that was drawn over itself, as progress bars are.
std::string_view last_drawn(std::string_view line) {
  std::size_t end = line.size();
  while (end > 0 && (line[end - 1] == '\n' || line[end - 1] == '\r')) --end;
  const std::size_t from = line.substr(0, end).rfind('\r');
  return from == std::string_view::npos ? line : line.substr(from + 1);
}

}  // namespace

RankPrefix::RankPrefix(int ranks, bool terminal, const Style& style)
    : terminal_(terminal), style_(style), width_(std::to_string(ranks > 0 ? ranks - 1 : 0).size()) {}

std::string RankPrefix::prefix(int rank) const {
  const std::string label =
      terminal_ ? fmt::format("[rank {}]", rank) : fmt::format("[{}]", rank);
  const std::size_t full = width_ + (terminal_ ? 7 : 2);
  const Tone tone = kTones[static_cast<std::size_t>(rank) % kTones.size()];
  std::string text = style_(tone, label);
  text.append(full > label.size() ? full - label.size() : 0, ' ');
  return text + " ";
}

std::string RankPrefix::mark(int rank, std::string_view text) {
  std::string out;
  if (open_ && *open_ != rank) out = finish();
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    const std::string_view line = text.substr(0, end);
    if (!open_) out += prefix(rank);
    out += terminal_ ? last_drawn(line) : line;
    open_.reset();
    if (newline == std::string_view::npos) open_ = rank;
    text.remove_prefix(end);
  }
  return out;
}

std::string RankPrefix::finish() {
  if (!open_) return "";
  open_.reset();
  return "\n";
}

}  // namespace roost
