#include "runner/followed_log.h"

#include <algorithm>

#include "base/open_beneath.h"

namespace roost {
namespace {

constexpr std::size_t kProbe = 256;     // bytes that tell whether a file is still the same
constexpr std::size_t kMostParts = 8;   // earlier files of a name that are held for a server that forgets

bool is_same_file(const struct stat& a, const struct stat& b) { return a.st_ino == b.st_ino && a.st_dev == b.st_dev; }

bool is_unchanged(const struct stat& a, const struct stat& b) {
  return is_same_file(a, b) && a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec && a.st_ctim.tv_sec == b.st_ctim.tv_sec &&
         a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

}  // namespace

bool FollowedLog::was_rewritten(const Part& part, std::uint64_t size) const {
  if (size < part.tail_end) return true;
  return read_at(part.fd.get(), 0, part.head.size()) != part.head ||
         read_at(part.fd.get(), part.tail_end - part.tail.size(), part.tail.size()) != part.tail;
}

void FollowedLog::add_part(int root, const std::string& path, const struct stat& info) {
  auto file = open_plain_file(root, path);
  if (!file || !is_same_file(file->info, info)) return;  // the next look will tell
  Part part;
  part.fd = std::move(file->fd);
  part.info = file->info;
  part.length = static_cast<std::uint64_t>(file->info.st_size);
  if (!parts_.empty()) {
    // What was left of the file before, a newline if it lacks one.
    Part& before = parts_.back();
    struct stat last {};
    if (before.fd && before.readable && ::fstat(before.fd.get(), &last) == 0) {
      before.length = std::max(before.length, static_cast<std::uint64_t>(last.st_size));
    }
    bool in_line = ends_in_line_;
    if (before.readable && before.fd && before.length > 0) in_line = read_at(before.fd.get(), before.length - 1, 1) != "\n";
    part.start = end() + (in_line ? 1 : 0);
  }
  parts_.push_back(std::move(part));
  while (parts_.size() > kMostParts && parts_[1].start <= sent_) parts_.pop_front();
}

void FollowedLog::see(int root, const std::string& path, const struct stat& info) {
  if (parts_.empty() || !is_same_file(parts_.back().info, info)) return add_part(root, path, info);
  Part& part = parts_.back();
  if (is_unchanged(part.info, info)) return;
  if (!part.fd) {
    auto file = open_plain_file(root, path);
    if (!file || !is_same_file(file->info, info)) return;
    part.fd = std::move(file->fd);
  }
  struct stat now {};
  if (::fstat(part.fd.get(), &now) != 0) return;
  part.info = now;
  if (!was_rewritten(part, static_cast<std::uint64_t>(now.st_size))) {
    part.length = static_cast<std::uint64_t>(now.st_size);
    return;
  }
  // What was not sent of it before is gone.
  was_cut_ = true;
  part.length = sent_ > part.start ? sent_ - part.start : 0;
  part.readable = false;
  add_part(root, path, now);
}

// The part that has this place of the stream, or begins after it.
const FollowedLog::Part* FollowedLog::part_at(std::uint64_t place) const {
  for (const auto& part : parts_) {
    if (place < part.start + part.length) return &part;
  }
  return nullptr;
}

FollowedLog::Piece FollowedLog::next(std::size_t limit) const {
  const Part* part = part_at(sent_);
  if (!part) return {};
  if (sent_ < part->start) return {-1, 0, 1};
  if (!part->readable || !part->fd) return {};
  const std::uint64_t from = sent_ - part->start;
  return {part->fd.get(), from, static_cast<std::size_t>(std::min<std::uint64_t>(limit, part->length - from))};
}

void FollowedLog::note_read(std::string_view bytes) {
  Part* part = const_cast<Part*>(part_at(sent_));
  if (!part || bytes.empty()) return;
  const std::uint64_t from = sent_ - part->start;
  if (from == 0) part->head = bytes.substr(0, kProbe);
  part->tail = bytes.substr(bytes.size() - std::min(bytes.size(), kProbe));
  part->tail_end = from + bytes.size();
  ends_in_line_ = bytes.back() != '\n';
}

void FollowedLog::set_sent(std::uint64_t length) {
  sent_ = length;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const bool is_here = length < parts_[i].start + parts_[i].length;
    if (!is_here && i + 1 < parts_.size()) continue;
    // What nobody has any more is left out.
    const std::size_t next = is_here && !parts_[i].readable ? i + 1 : i;
    if (next < parts_.size() && (next > i || (i == 0 && length < parts_[i].start))) {
      const std::uint64_t less = parts_[next].start - length;
      for (std::size_t k = next; k < parts_.size(); ++k) parts_[k].start -= less;
      parts_.erase(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(next));
    }
    return;
  }
}

bool FollowedLog::holds(const struct stat& info) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const Part& part) { return part.fd && is_same_file(part.info, info); });
}

bool FollowedLog::take_was_cut() { return std::exchange(was_cut_, false); }

void FollowedLog::rest() {
  if (parts_.size() == 1 && !is_behind_after(0)) parts_.front().fd.reset();
}

}  // namespace roost
