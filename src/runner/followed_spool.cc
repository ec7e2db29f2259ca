#include "runner/followed_spool.h"

#include "base/open_beneath.h"

namespace roost {
namespace {

constexpr std::size_t kPiece = 1 << 20;

}  // namespace

void FollowedSpool::see(int root, const std::string& path) {
  if (fd_) return;
  if (auto file = open_plain_file(root, path)) fd_ = std::move(file->fd);
}

std::uint64_t FollowedSpool::place() const {
  std::uint64_t place = sent_;
  for (const auto& [at, bytes] : left_out_) place += at <= sent_ ? bytes : 0;
  return place;
}

std::string FollowedSpool::next_lines(std::size_t limit) {
  if (!fd_) return {};
  const std::uint64_t from = place();
  for (std::size_t want = limit;; want = kLongestLine) {
    std::string lines = read_at(fd_.get(), from, want);
    const bool whole = lines.size() == want;
    if (const auto nul = lines.find('\0'); nul != std::string::npos) lines.resize(nul);
    if (const auto newline = lines.rfind('\n'); newline != std::string::npos) {
      lines.resize(newline + 1);
      return lines;
    }
    if (!whole || lines.size() < want) return {};
    if (want >= kLongestLine) break;
  }
  // Look for the end of the line piece by piece; it may not be written yet.
  searched_ = std::max(searched_, from + kLongestLine);
  for (;;) {
    const std::string piece = read_at(fd_.get(), searched_, kPiece);
    const std::size_t end = piece.find_first_of(std::string("\n\0", 2));
    if (end != std::string::npos && piece[end] == '\n') {
      left_out_.emplace_back(sent_, searched_ + end + 1 - from);
      return next_lines(limit);
    }
    searched_ += end == std::string::npos ? piece.size() : end;
    if (end != std::string::npos || piece.size() < kPiece) return {};
  }
}

std::optional<std::uint64_t> FollowedSpool::take_left_out() {
  if (told_ == left_out_.size()) return std::nullopt;
  return left_out_[told_++].second;
}

}  // namespace roost
